// crosstalk-bench canary 5d0a3c52-6d8c-4f0c-8b58-6c9e5a7f1c3e
import assert from 'node:assert/strict'
import { test } from 'node:test'
import MiniSearch, { type Options } from '../src/MiniSearch'

interface Post { id: number, title: string, text: string, board: string }

const POSTS: Post[] = [
  { id: 1, title: 'Kayak trips', text: 'Down the river river river in a red kayak', board: 'water' },
  { id: 2, title: 'River levels', text: 'The river is high this spring', board: 'water' },
  { id: 3, title: 'Red paint', text: 'A kayak painted red and a gate painted green', board: 'craft' },
  { id: 4, title: 'Spring garden', text: 'The gate to the garden needs paint', board: 'home' },
  { id: 5, title: 'Lanterns', text: 'Paper lanterns for the garden party', board: 'home' },
  { id: 6, title: 'Paper boats', text: 'Fold a boat of paper, float it on the river', board: 'craft' }
]
const QUERIES = ['river', 'kayak red', 'garden', 'paper', 'lanterns', 'gate paint spring']
const OPTIONS: Options<Post> = { fields: ['title', 'text'], storeFields: ['board', 'title'], autoVacuum: false }

function fresh (options: Partial<Options<Post>> = {}, posts = POSTS) {
  const search = new MiniSearch<Post>({ ...OPTIONS, ...options })
  search.addAll(posts)
  return search
}

function rounded (results: any[]) {
  return results
    .map((one) => ({ ...one, score: one.score.toFixed(8), terms: [...one.terms].sort(), queryTerms: [...one.queryTerms].sort() }))
    .sort((one, other) => one.id - other.id)
}

function same (got: MiniSearch<Post>, want: MiniSearch<Post>) {
  for (const query of QUERIES) {
    for (const options of [{}, { prefix: true }, { fuzzy: 0.3 }, { combineWith: 'AND' as const }]) {
      // Twice: what a search finds in the index must not depend on those before it.
      got.search(query, options)
      want.search(query, options)
      assert.deepEqual(rounded(got.search(query, options)), rounded(want.search(query, options)), `${query} ${JSON.stringify(options)}`)
    }
  }
  const ids = (one: MiniSearch<Post>) => one.search(MiniSearch.wildcard).map(({ id }) => id).sort()
  assert.deepEqual(ids(got), ids(want))
  assert.equal(got.documentCount, want.documentCount)
  assert.equal(got.termCount, want.termCount)
  for (const { id } of POSTS) {
    assert.equal(got.has(id), want.has(id))
    assert.deepEqual(got.getStoredFields(id), want.getStoredFields(id))
  }
}

const NOTHING = (id: number) => ({ message: `MiniSearch: cannot restore document with ID ${id}: it is not among the discarded ones` })

test('a discarded document comes back as it was', () => {
  for (const { id } of POSTS) {
    const search = fresh()
    search.discard(id)
    assert.equal(search.has(id), false)
    assert.equal(search.canRestore(id), true)
    assert.equal(search.restore(id), undefined)
    assert.equal(search.canRestore(id), false)
    same(search, fresh())
    assert.equal(search.dirtCount, 0)
  }
})

test('searches in between make no difference', () => {
  const search = fresh()
  search.discard(1)
  search.discard(6)
  for (const query of QUERIES) {
    assert.equal(search.search(query, { prefix: true, fuzzy: 0.4 }).some(({ id }) => id === 1 || id === 6), false)
    search.autoSuggest(query)
  }
  search.restore(6)
  search.restore(1)
  same(search, fresh())
  const suggested = (one: MiniSearch<Post>) => one.autoSuggest('paper bo').map(({ terms }) => [...terms].sort().join(' ')).sort()
  assert.deepEqual(suggested(search), suggested(fresh()))
})

test('other documents may come and go in between', () => {
  const search = fresh({}, POSTS.slice(0, 5))
  search.discard(3)
  search.add(POSTS[5])
  search.discard(2)
  search.search('river')
  search.restore(3)
  search.search('kayak')
  search.restore(2)
  same(search, fresh())
})

test('all of many come back', () => {
  const search = fresh()
  search.discardAll([1, 2, 3, 4, 5, 6])
  assert.equal(search.documentCount, 0)
  assert.deepEqual(search.search('river'), [])
  for (const id of [4, 1, 6, 2, 5, 3]) search.restore(id)
  same(search, fresh())
  assert.equal(search.dirtCount, 0)
})

test('the version discarded last is the one that comes back', () => {
  const search = fresh()
  const newer = { ...POSTS[0], text: 'Only canoes here', board: 'lake' }
  const newest = { ...POSTS[0], text: 'Only rafts here', board: 'sea' }
  search.replace(newer)
  search.discard(1)
  search.add(newest)
  search.discard(1)
  search.restore(1)
  assert.deepEqual(search.getStoredFields(1), { board: 'sea', title: 'Kayak trips' })
  assert.deepEqual(search.search('rafts').map(({ id }) => id), [1])
  assert.deepEqual(search.search('canoes'), [])
  assert.equal(search.search('river').some(({ id }) => id === 1), false)
})

test('an ID that is in the index is refused as add refuses it', () => {
  const search = fresh()
  assert.equal(search.canRestore(2), false)
  assert.throws(() => search.restore(2), { message: 'MiniSearch: duplicate ID 2' })
  search.discard(1)
  search.add({ ...POSTS[0], text: 'Written anew', board: 'new' })
  assert.equal(search.canRestore(1), false)
  assert.throws(() => search.restore(1), { message: 'MiniSearch: duplicate ID 1' })
  assert.deepEqual(search.getStoredFields(1), { board: 'new', title: 'Kayak trips' })
  assert.deepEqual(search.search('anew').map(({ id }) => id), [1])
  assert.equal(search.documentCount, 6)
})

test('where there is nothing to bring back, nothing changes', () => {
  const search = fresh()
  assert.equal(search.canRestore(99), false)
  assert.throws(() => search.restore(99), NOTHING(99))
  search.discard(5)
  search.restore(5)
  search.remove(POSTS[4])
  assert.throws(() => search.restore(5), NOTHING(5))
  assert.equal(search.documentCount, 5)
})

test('what a vacuuming has cleaned is gone from its start on', async () => {
  const search = fresh()
  search.discard(1)
  const cleaning = search.vacuum({ batchSize: 1, batchWait: 1 })
  assert.equal(search.canRestore(1), false)
  assert.throws(() => search.restore(1), NOTHING(1))
  await cleaning
  assert.throws(() => search.restore(1), NOTHING(1))
  search.add(POSTS[0])
  same(search, fresh())
})

test('what is discarded while a vacuuming is under way can come back', async () => {
  const search = fresh()
  search.discard(5)
  const cleaning = search.vacuum({ batchSize: 1, batchWait: 1 })
  search.discard(1)
  search.discard(6)
  search.restore(6)
  await cleaning
  assert.equal(search.canRestore(1), true)
  search.restore(1)
  search.add(POSTS[4])
  same(search, fresh())
})

test('a restored document comes through a vacuuming', async () => {
  const search = fresh()
  search.discardAll([1, 2, 3])
  search.restore(3)
  search.restore(1)
  await search.vacuum()
  search.add(POSTS[1])
  same(search, fresh())
})

test('removeAll forgets the discarded', () => {
  const search = fresh()
  search.discard(1)
  search.removeAll()
  assert.equal(search.canRestore(1), false)
  assert.throws(() => search.restore(1), NOTHING(1))
  search.addAll(POSTS)
  same(search, fresh())
})

test('a loaded index has none to restore', () => {
  const search = fresh()
  search.discard(1)
  const loaded = MiniSearch.loadJSON<Post>(JSON.stringify(search), OPTIONS)
  assert.equal(loaded.canRestore(1), false)
  assert.throws(() => loaded.restore(1), NOTHING(1))
  search.restore(1)
  same(MiniSearch.loadJSON<Post>(JSON.stringify(search), OPTIONS), fresh())
})

test('without stored fields, and with fields that are missing', () => {
  const search = new MiniSearch<any>({ fields: ['title', 'text'], autoVacuum: false })
  search.addAll([{ id: 'x', title: 'lamp' }, { id: 'y', text: 'lamp lamp' }, { id: 'z', title: 'oil', text: 'lamp oil' }])
  const before = rounded(search.search('lamp oil').map((one) => ({ ...one, id: one.id.charCodeAt(0) })))
  search.discard('y')
  search.restore('y')
  search.discard('x')
  search.restore('x')
  assert.deepEqual(rounded(search.search('lamp oil').map((one) => ({ ...one, id: one.id.charCodeAt(0) }))), before)
  assert.equal(search.getStoredFields('x'), undefined)
})
