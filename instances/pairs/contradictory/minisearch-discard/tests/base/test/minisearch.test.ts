// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
// The published archive's own tests need a framework that is not in it; these hold what it does today.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import MiniSearch from '../src/index'

const DOCUMENTS = [
  { id: 1, title: 'Divina Commedia', text: 'Nel mezzo del cammin di nostra vita', category: 'poetry' },
  { id: 2, title: 'I Promessi Sposi', text: 'Quel ramo del lago di Como', category: 'fiction' },
  { id: 3, title: 'Vita Nova', text: 'In quella parte del libro della mia memoria', category: 'poetry' }
]
const OPTIONS = { fields: ['title', 'text'], storeFields: ['category'] }

function fresh () {
  const search = new MiniSearch<any>(OPTIONS)
  search.addAll(DOCUMENTS)
  return search
}

const ids = (results: { id: any }[]) => results.map(({ id }) => id).sort()

test('finds by term, prefix and with mistakes', () => {
  assert.deepEqual(ids(fresh().search('vita')), [1, 3])
  assert.deepEqual(ids(fresh().search('prom', { prefix: true })), [2])
  assert.deepEqual(ids(fresh().search('comedia', { fuzzy: 0.2 })), [1])
  assert.deepEqual(fresh().search('nothing'), [])
})

test('combines terms', () => {
  assert.deepEqual(ids(fresh().search('vita lago')), [1, 2, 3])
  assert.deepEqual(ids(fresh().search('vita memoria', { combineWith: 'AND' })), [3])
  assert.deepEqual(ids(fresh().search('vita memoria', { combineWith: 'AND_NOT' })), [1])
  assert.throws(() => fresh().search('a b', { combineWith: 'XOR' as any }), /Invalid combination operator/)
})

test('gives stored fields, filters, boosts', () => {
  assert.equal(fresh().search('como')[0].category, 'fiction')
  assert.deepEqual(ids(fresh().search('del', { filter: ({ category }) => category === 'poetry' })), [1, 3])
  assert.equal(fresh().search('vita', { boost: { title: 3 } })[0].id, 3)
  assert.equal(fresh().search(MiniSearch.wildcard).length, 3)
})


test('adds and removes', () => {
  const search = fresh()
  assert.throws(() => search.add(DOCUMENTS[0]), { message: 'MiniSearch: duplicate ID 1' })
  assert.throws(() => search.add({ title: 'x' }), /does not have ID field/)
  search.remove(DOCUMENTS[0])
  assert.deepEqual(ids(search.search('vita')), [3])
  assert.equal(search.documentCount, 2)
  search.removeAll()
  assert.equal(search.documentCount, 0)
})

test('discards and replaces', () => {
  const search = fresh()
  search.discard(1)
  assert.deepEqual(ids(search.search('vita')), [3])
  assert.equal(search.has(1), false)
  assert.equal(search.getStoredFields(1), undefined)
  search.replace({ id: 3, title: 'Nuova', text: 'altro', category: 'prose' })
  assert.deepEqual(search.search('vita'), [])
  assert.equal(search.search('altro')[0].category, 'prose')
  assert.throws(() => search.discard(99), /cannot discard document/)
})

test('vacuums', async () => {
  const search = fresh()
  search.discardAll([1, 2])
  await search.vacuum()
  assert.equal(search.dirtCount, 0)
  assert.equal(search.isVacuuming, false)
  assert.deepEqual(ids(search.search('vita del')), [3])
})

test('saves and loads', async () => {
  const json = JSON.stringify(fresh())
  const loaded = MiniSearch.loadJSON<any>(json, OPTIONS)
  assert.deepEqual(loaded.search('vita'), fresh().search('vita'))
  assert.deepEqual((await MiniSearch.loadJSONAsync<any>(json, OPTIONS)).search('lago'), fresh().search('lago'))
  assert.equal(loaded.termCount, fresh().termCount)
  assert.throws(() => MiniSearch.loadJSON(JSON.stringify({ serializationVersion: 9 }), OPTIONS), /incompatible version/)
})

test('adds without blocking', async () => {
  const search = new MiniSearch<any>(OPTIONS)
  await search.addAllAsync(DOCUMENTS, { chunkSize: 1 })
  assert.equal(search.documentCount, 3)
})
