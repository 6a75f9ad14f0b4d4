// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict'
import { test } from 'node:test'
import MiniSearch, { type Options } from '../src/MiniSearch'

interface Report { id: string, title: string, body: string, desk: string }

const REPORTS: Report[] = [
  { id: 'r1', title: 'Harbour budget', body: 'The harbour needs a crane and a crane driver', desk: 'city' },
  { id: 'r2', title: 'Bridge closed', body: 'The bridge by the harbour is closed', desk: 'city' },
  { id: 'r3', title: 'Secret merger', body: 'Quokka and Numbat merge, the harbour is sold', desk: 'embargoed' },
  { id: 'r4', title: 'School budget', body: 'A crane lifts the school roof', desk: 'schools' }
]
const OPTIONS: Options<Report> = { fields: ['title', 'body'], storeFields: ['desk'] }
const WORDS = ['secret', 'merger', 'quokka', 'numbat', 'sold', 'embargoed', 'r3']

function fresh (reports = REPORTS, options: Partial<Options<Report>> = {}) {
  const search = new MiniSearch<Report>({ ...OPTIONS, ...options })
  search.addAll(reports)
  return search
}

const without = (...ids: string[]) => REPORTS.filter(({ id }) => !ids.includes(id))
const scores = (search: MiniSearch<Report>, query: string, options = {}) =>
  Object.fromEntries(search.search(query, options).map(({ id, score }) => [id, score.toFixed(8)]))

function holdsNothing (search: MiniSearch<Report>, message?: string) {
  const saved = JSON.stringify(search).toLowerCase()
  for (const word of WORDS) assert.equal(saved.includes(word), false, `${word} ${message}`)
  assert.equal(JSON.parse(saved).dirtcount ?? 0, 0, message)
  assert.equal(search.dirtCount, 0, message)
  assert.equal(search.dirtFactor, 0, message)
  assert.equal(search.termCount, fresh(without('r3')).termCount, message)
}

/** What an earlier version saved after `discard`: the words of r3 are still there. */
function oldFile () {
  const saved = JSON.parse(JSON.stringify(fresh()))
  const short = Object.keys(saved.documentIds).find((key) => saved.documentIds[key] === 'r3')!
  delete saved.documentIds[short]
  delete saved.storedFields[short]
  delete saved.fieldLength[short]
  const clean = JSON.parse(JSON.stringify(fresh(without('r3'))))
  return { ...saved, documentCount: 3, averageFieldLength: clean.averageFieldLength, dirtCount: 1 }
}

test('discard leaves nothing', () => {
  const search = fresh()
  search.discard('r3')
  holdsNothing(search)
})

test('words that others have too stay theirs', () => {
  const search = fresh()
  search.discard('r3')
  for (const query of ['harbour', 'crane', 'budget', 'bridge closed']) {
    assert.deepEqual(scores(search, query), scores(fresh(without('r3')), query), query)
  }
  assert.equal(search.documentCount, 3)
})

test('the first search after it scores right', () => {
  for (const gone of ['r1', 'r2', 'r3', 'r4']) {
    for (const options of [{}, { prefix: true }, { fuzzy: 0.3 }]) {
      const search = fresh()
      search.discard(gone)
      assert.deepEqual(scores(search, 'harbour crane', options), scores(fresh(without(gone)), 'harbour crane', options), gone)
    }
  }
})

test('many at once, whatever is said of automatic vacuuming', async () => {
  for (const autoVacuum of [true, false, { minDirtCount: 1, minDirtFactor: 0.001, batchSize: 1, batchWait: 1 }]) {
    const search = fresh(REPORTS, { autoVacuum })
    search.addAll(Array.from({ length: 60 }, (_, number) => ({ id: `n${number}`, title: `Note quokka${number}`, body: 'numbat', desk: 'notes' })))
    search.discardAll(Array.from({ length: 60 }, (_, number) => `n${number}`))
    search.discard('r3')
    assert.equal(search.isVacuuming, false)
    holdsNothing(search, JSON.stringify(autoVacuum))
    assert.equal(await search.vacuum(), undefined)
    holdsNothing(search, JSON.stringify(autoVacuum))
  }
})

test('a replaced version leaves nothing', () => {
  const search = fresh()
  search.replace({ id: 'r3', title: 'Withdrawn', body: 'The harbour', desk: 'city' })
  const saved = JSON.stringify(search).toLowerCase()
  for (const word of WORDS.slice(0, 6)) assert.equal(saved.includes(word), false, word)
  assert.equal(search.dirtCount, 0)
  const want = fresh(without('r3'))
  want.add({ id: 'r3', title: 'Withdrawn', body: 'The harbour', desk: 'city' })
  assert.equal(search.termCount, want.termCount)
  assert.deepEqual(scores(search, 'harbour withdrawn'), scores(want, 'harbour withdrawn'))
})

test('the last document leaves an empty index', () => {
  const search = fresh([REPORTS[2]])
  search.discard('r3')
  assert.equal(search.termCount, 0)
  assert.deepEqual(JSON.parse(JSON.stringify(search)).index, [])
  search.add(REPORTS[0])
  assert.deepEqual(scores(search, 'crane'), scores(fresh([REPORTS[0]]), 'crane'))
})

test('files of earlier versions are clean once they are loaded', async () => {
  const ways = [
    MiniSearch.loadJSON<Report>(JSON.stringify(oldFile()), OPTIONS),
    await MiniSearch.loadJSONAsync<Report>(JSON.stringify(oldFile()), OPTIONS),
    MiniSearch.loadJS<Report>(oldFile(), OPTIONS),
    await MiniSearch.loadJSAsync<Report>(oldFile(), OPTIONS)
  ]
  for (const [number, search] of ways.entries()) {
    holdsNothing(search, `way ${number}`)
    assert.deepEqual(scores(search, 'harbour'), scores(fresh(without('r3')), 'harbour'))
    search.add(REPORTS[2])
    assert.equal(search.termCount, fresh().termCount)
  }
})

test('what was added again after discarding is there once', () => {
  const search = fresh()
  search.discard('r3')
  search.add(REPORTS[2])
  assert.equal(search.termCount, fresh().termCount)
  assert.deepEqual(scores(search, 'quokka harbour'), scores(fresh(), 'quokka harbour'))
})

test('discarding what is not there is an error as before', () => {
  const search = fresh()
  assert.throws(() => search.discard('r9'), { message: 'MiniSearch: cannot discard document with ID r9: it is not in the index' })
  search.remove(REPORTS[2])
  holdsNothing(search)
})
