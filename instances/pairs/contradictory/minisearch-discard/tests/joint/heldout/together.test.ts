// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict'
import { test } from 'node:test'
import MiniSearch, { type Options } from '../src/MiniSearch'

interface Page { id: number, head: string, body: string, shelf: string }

const PAGES: Page[] = [
  { id: 1, head: 'Owls', body: 'An owl an owl an owl sees in the dark', shelf: 'birds' },
  { id: 2, head: 'Dark nights', body: 'The lamp is out and the owl hoots', shelf: 'night' },
  { id: 3, head: 'Lamps', body: 'Oil for the lamp lamp lamp, wick and glass', shelf: 'house' },
  { id: 4, head: 'Glass', body: 'Blown glass, green glass', shelf: 'house' },
  { id: 5, head: 'Zeppelin', body: 'A zeppelin over the dark glass sea', shelf: 'xylograph' }
]
const OPTIONS: Options<Page> = { fields: ['head', 'body'], storeFields: ['shelf'] }
const QUERIES = ['owl', 'lamp glass', 'dark', 'zeppelin', 'sea green']

function fresh (pages = PAGES, options: Partial<Options<Page>> = {}) {
  const search = new MiniSearch<Page>({ ...OPTIONS, ...options })
  search.addAll(pages)
  return search
}

const pagesWithout = (...ids: number[]) => PAGES.filter(({ id }) => !ids.includes(id))

function told (search: MiniSearch<Page>) {
  const found = QUERIES.flatMap((query) => [{}, { prefix: true }, { fuzzy: 0.4 }].map((options) => search.search(query, options)
    .map(({ id, score, shelf, match }) => ({ id, score: score.toFixed(8), shelf, match: Object.keys(match).sort() }))
    .sort((one, other) => one.id - other.id)))
  return { found, terms: search.termCount, documents: search.documentCount, dirt: search.dirtCount, factor: search.dirtFactor }
}

function saved (search: MiniSearch<Page>) {
  const { index } = JSON.parse(JSON.stringify(search))
  return Object.fromEntries(index.map(([term, data]: [string, any]) => [term, Object.keys(data).length]))
}

function alike (got: MiniSearch<Page>, want: MiniSearch<Page>, message?: string) {
  assert.deepEqual(told(got), told(want), message)
  assert.deepEqual(saved(got), saved(want), message)
  assert.deepEqual(told(MiniSearch.loadJSON<Page>(JSON.stringify(got), OPTIONS)), told(want), message)
}

test('gone at once, and back at once', () => {
  for (const { id } of PAGES) {
    const search = fresh()
    search.discard(id)
    alike(search, fresh(pagesWithout(id)), `without ${id}`)
    assert.equal(search.canRestore(id), true)
    search.restore(id)
    alike(search, fresh(), `with ${id}`)
  }
})

test('what can come back is not in what is saved', () => {
  const search = fresh()
  search.discard(5)
  const text = JSON.stringify(search).toLowerCase()
  for (const word of ['zeppelin', 'xylograph', 'sea']) assert.equal(text.includes(word), false, word)
  search.restore(5)
  search.discard(5)
  assert.equal(JSON.stringify(search).toLowerCase().includes('zeppelin'), false)
  const loaded = MiniSearch.loadJSON<Page>(JSON.stringify(search), OPTIONS)
  assert.equal(loaded.canRestore(5), false)
  assert.equal(search.canRestore(5), true)
})

test('no automatic vacuuming takes anything away', async () => {
  const many = Array.from({ length: 60 }, (_, number) => ({ id: 100 + number, head: `Note${number}`, body: `word${number} lamp`, shelf: 'notes' }))
  for (const autoVacuum of [true, { minDirtCount: 1, minDirtFactor: 0.001, batchSize: 1, batchWait: 1 }]) {
    const search = fresh([...PAGES, ...many], { autoVacuum })
    search.discardAll(many.map(({ id }) => id))
    for (const { id } of PAGES) search.discard(id)
    assert.equal(search.isVacuuming, false)
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(search.termCount, 0)
    for (const { id } of [...many, ...PAGES]) search.restore(id)
    alike(search, fresh([...PAGES, ...many]))
  }
})

test('a vacuuming still ends what can come back', async () => {
  const search = fresh()
  search.discard(1)
  const cleaning = search.vacuum({ batchSize: 1, batchWait: 1 })
  assert.equal(search.canRestore(1), false)
  search.discard(2)
  alike(search, fresh(pagesWithout(1, 2)))
  await cleaning
  assert.throws(() => search.restore(1), /it is not among the discarded ones/)
  search.restore(2)
  await search.vacuum()
  alike(search, fresh(pagesWithout(1)))
})

test('only the last version comes back, and no word of the others stays', () => {
  const search = fresh()
  search.replace({ ...PAGES[4], body: 'A quilt', shelf: 'bed' })
  search.replace({ ...PAGES[4], body: 'A rug', shelf: 'floor' })
  search.discard(5)
  alike(search, fresh(pagesWithout(5)))
  search.restore(5)
  alike(search, fresh([...pagesWithout(5), { ...PAGES[4], body: 'A rug', shelf: 'floor' }]))
  assert.equal(JSON.stringify(search).includes('quilt'), false)
})

test('restored beside what was added in between', () => {
  const search = fresh(pagesWithout(4))
  search.discard(3)
  search.add(PAGES[3])
  search.search('glass lamp', { prefix: true })
  search.discard(1)
  alike(search, fresh(pagesWithout(1, 3)))
  search.restore(3)
  search.restore(1)
  alike(search, fresh())
  search.remove(PAGES[2])
  alike(search, fresh(pagesWithout(3)))
})

test('remains in an older file cannot come back', () => {
  const old = JSON.parse(JSON.stringify(fresh()))
  delete old.documentIds[4]
  delete old.storedFields[4]
  delete old.fieldLength[4]
  const { averageFieldLength } = JSON.parse(JSON.stringify(fresh(pagesWithout(5))))
  const search = MiniSearch.loadJSON<Page>(JSON.stringify({ ...old, documentCount: 4, averageFieldLength, dirtCount: 1 }), OPTIONS)
  assert.equal(search.canRestore(5), false)
  alike(search, fresh(pagesWithout(5)))
  search.discard(1)
  search.restore(1)
  alike(search, fresh(pagesWithout(5)))
})

test('removeAll leaves neither words nor a way back', () => {
  const search = fresh()
  search.discardAll([1, 5])
  search.removeAll()
  assert.equal(search.canRestore(1), false)
  assert.equal(search.termCount, 0)
  search.addAll(PAGES)
  alike(search, fresh())
})
