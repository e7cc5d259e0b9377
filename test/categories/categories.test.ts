import { expect, test } from 'vitest'
import type { Category } from '@apprentice/contracts/admin/categories.ts'
import { listAssignmentLogSince } from '../../src/store/categories/category-log.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const CATEGORIES_URL = '/api/categories'

async function createCategory(daemon: Daemon, title: string, token?: string): Promise<string> {
  const reply = await daemon.post(CATEGORIES_URL, { title }, token)
  expect(reply.statusCode, reply.body).toBe(201)
  return reply.json<Category>().category_id
}

const readLog = (daemon: Daemon) =>
  daemon.system.store
    .read((reader) => listAssignmentLogSince(reader, { after: 0, limit: 10_000 }))
    .map(({ entry }) => `${entry.op} ${entry.item_kind} ${entry.item_id}`)

const listChanges = (daemon: Daemon) =>
  daemon
    .events()
    .filter((event) => event.kind === 'category.changed')
    .map((event) => event.payload['change'])

const updateCategory = (daemon: Daemon, id: string, body: Record<string, unknown>) =>
  daemon.request({ method: 'PUT', url: `${CATEGORIES_URL}/${id}`, payload: body })

test('the categories of one item are listed, and only its own', async () => {
  const daemon = await startDaemon()
  const [court, office] = [await createCategory(daemon, 'Court'), await createCategory(daemon, 'Office')]
  await daemon.post(`${CATEGORIES_URL}/${court}/assign`, { item_kind: 'proposal', item_id: 'draft-1' })
  await daemon.post(`${CATEGORIES_URL}/${office}/assign`, { item_kind: 'connector', item_id: 'draft-1' })
  const list = async (query: string, token?: string) =>
    (await daemon.get(`${CATEGORIES_URL}${query}`, token)).json<object>()
  expect(await list('?item_kind=proposal&item_id=draft-1')).toMatchObject({ categories: [{ category_id: court }] })
  expect(await list('?item_kind=proposal&item_id=other')).toMatchObject({ categories: [] })
  expect(await list('?item_kind=proposal&item_id=draft-1', await daemon.tokenFor('ann'))).toMatchObject({
    categories: [],
  })
  expect(await list('?item_kind=proposal')).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
})

test('an assigned skill is listed in its category', async () => {
  const daemon = await startDaemon()
  const id = await createCategory(daemon, 'Court forms')

  const assigned = await daemon.post(`${CATEGORIES_URL}/${id}/assign`, {
    item_kind: 'skill',
    item_id: 'fill-form',
  })

  expect(assigned.statusCode, assigned.body).toBe(200)
  const item = {
    category_id: id,
    item_kind: 'skill',
    item_id: 'fill-form',
    assigned_at: daemon.clock.now.toISOString(),
  }
  expect(assigned.json()).toEqual(item)
  expect((await daemon.get(`${CATEGORIES_URL}/${id}/items`)).json()).toEqual({
    items: [item],
    schema_version: 1,
  })
  expect(listChanges(daemon)).toEqual(['created', 'assigned'])
})

test('a category has the default colour unless one is given', async () => {
  const daemon = await startDaemon()
  const plain = await daemon.post(CATEGORIES_URL, { title: 'Plain' })
  const red = await daemon.post(CATEGORIES_URL, { title: ' Red ', color: '#FF0000' })

  expect(plain.json()).toMatchObject({ title: 'Plain', color: '#6366F1', schema_version: 1 })
  expect(red.json()).toMatchObject({ title: 'Red', color: '#FF0000' })
  expect(plain.json()).not.toHaveProperty('owner_user_id')
  const titles = (await daemon.get(CATEGORIES_URL)).json<{ categories: Category[] }>().categories
  expect(titles.map(({ title }) => title)).toEqual(['Plain', 'Red'])
})

test.each([
  ['no title', {}],
  ['a blank title', { title: '  ' }],
  ['a title over 80 characters', { title: 'x'.repeat(81) }],
  ['an invalid colour', { title: 'Red', color: 'red' }],
])('%s is rejected and creates no category', async (_what, body) => {
  const daemon = await startDaemon()
  const reply = await daemon.post(CATEGORIES_URL, body)
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  expect(daemon.events()).toEqual([])
})

test('one skill can be in several categories', async () => {
  const daemon = await startDaemon()
  const first = await createCategory(daemon, 'First')
  const second = await createCategory(daemon, 'Second')
  const item = { item_kind: 'skill', item_id: 'fill-form' }

  for (const id of [first, second]) {
    expect((await daemon.post(`${CATEGORIES_URL}/${id}/assign`, item)).statusCode).toBe(200)
  }

  for (const id of [first, second]) {
    expect((await daemon.get(`${CATEGORIES_URL}/${id}/items`)).json()).toMatchObject({
      items: [item],
    })
  }
})

test('assigning an item again changes nothing and returns the first reply', async () => {
  const daemon = await startDaemon()
  const id = await createCategory(daemon, 'Forms')
  const item = { item_kind: 'skill', item_id: 'fill-form' }
  const first = await daemon.post(`${CATEGORIES_URL}/${id}/assign`, item)
  daemon.clock.advance(5000)

  const second = await daemon.post(`${CATEGORIES_URL}/${id}/assign`, item)

  expect(second.json()).toEqual(first.json())
  expect(listChanges(daemon)).toEqual(['created', 'assigned'])
  expect(readLog(daemon)).toEqual(['add skill fill-form'])
})

test('items of different kinds can have the same id', async () => {
  const daemon = await startDaemon()
  const id = await createCategory(daemon, 'Forms')
  await daemon.post(`${CATEGORIES_URL}/${id}/assign`, { item_kind: 'skill', item_id: 'x' })
  await daemon.post(`${CATEGORIES_URL}/${id}/assign`, { item_kind: 'bundle', item_id: 'x' })

  const removed = await daemon.delete(`${CATEGORIES_URL}/${id}/items/skill/x`)

  expect(removed.json()).toEqual({ deleted: true })
  expect((await daemon.get(`${CATEGORIES_URL}/${id}/items`)).json()).toMatchObject({
    items: [{ item_kind: 'bundle' }],
  })
})

test('an item id with slashes and colons can be removed by its encoded id', async () => {
  const daemon = await startDaemon()
  const id = await createCategory(daemon, 'Forms')
  const item_id = 'a/b:c d'
  await daemon.post(`${CATEGORIES_URL}/${id}/assign`, { item_kind: 'connector', item_id })

  const reply = await daemon.delete(`${CATEGORIES_URL}/${id}/items/connector/${encodeURIComponent(item_id)}`)

  expect(reply.statusCode, reply.body).toBe(200)
  expect((await daemon.get(`${CATEGORIES_URL}/${id}/items`)).json()).toMatchObject({ items: [] })
})

test('removing an unassigned item returns 404 and records nothing', async () => {
  const daemon = await startDaemon()
  const id = await createCategory(daemon, 'Forms')

  const reply = await daemon.delete(`${CATEGORIES_URL}/${id}/items/skill/absent`)

  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
  expect(listChanges(daemon)).toEqual(['created'])
  expect(readLog(daemon)).toEqual([])
})

test('deleting a category removes and logs its assignments and frees its title', async () => {
  const daemon = await startDaemon()
  const id = await createCategory(daemon, 'Forms')
  const other = await createCategory(daemon, 'Other')
  for (const item_id of ['a', 'b']) {
    await daemon.post(`${CATEGORIES_URL}/${id}/assign`, { item_kind: 'skill', item_id })
  }
  await daemon.post(`${CATEGORIES_URL}/${other}/assign`, { item_kind: 'skill', item_id: 'a' })

  const reply = await daemon.delete(`${CATEGORIES_URL}/${id}`)

  expect(reply.json()).toEqual({ deleted: true, removed_assignments: 2 })
  expect((await daemon.get(`${CATEGORIES_URL}/${id}/items`)).json()).toMatchObject({
    error: { code: 'CATEGORY_NOT_FOUND' },
  })
  expect((await daemon.get(`${CATEGORIES_URL}/${other}/items`)).json()).toMatchObject({
    items: [{ item_id: 'a' }],
  })
  expect(readLog(daemon).slice(3)).toEqual(['remove skill a', 'remove skill b'])
  expect(listChanges(daemon).at(-1)).toBe('deleted')
  await createCategory(daemon, 'forms')
})

test.each(['FORMS', ' Forms ', 'forms'])('a second category with the title "%s" is rejected', async (title) => {
  const daemon = await startDaemon()
  await createCategory(daemon, 'Forms')

  const reply = await daemon.post(CATEGORIES_URL, { title })

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'title' } },
  })
  expect(listChanges(daemon)).toEqual(['created'])
})

test('titles are compared without case, also beyond ASCII', async () => {
  const daemon = await startDaemon()
  await createCategory(daemon, 'Übung')
  const same = await daemon.post(CATEGORIES_URL, { title: 'U\u0308BUNG' })
  expect(same.statusCode).toBe(400)
  await createCategory(daemon, 'Ubung')
})

test('a category can be renamed, also only in case, but not to the title of another category', async () => {
  const daemon = await startDaemon()
  const id = await createCategory(daemon, 'Forms')
  await createCategory(daemon, 'Letters')
  daemon.clock.advance(1000)

  const renamed = await updateCategory(daemon, id, { title: 'FORMS', color: '#000000' })
  const taken = await updateCategory(daemon, id, { title: 'letters' })

  expect(renamed.json()).toMatchObject({
    title: 'FORMS',
    color: '#000000',
    updated_at: daemon.clock.now.toISOString(),
  })
  expect(taken.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'title' } },
  })
  expect((await daemon.get(CATEGORIES_URL)).json()).toMatchObject({
    categories: [{ title: 'FORMS' }, { title: 'Letters' }],
  })
})

test('an update without a change records nothing', async () => {
  const daemon = await startDaemon()
  const id = await createCategory(daemon, 'Forms')
  const before = (await daemon.get(CATEGORIES_URL)).json()
  daemon.clock.advance(1000)

  await updateCategory(daemon, id, {})
  await updateCategory(daemon, id, { title: 'Forms', color: '#6366F1' })

  expect((await daemon.get(CATEGORIES_URL)).json()).toEqual(before)
  expect(listChanges(daemon)).toEqual(['created'])
})

test("another user's category returns the same failure as an unknown one, and titles do not collide", async () => {
  const daemon = await startDaemon()
  const id = await createCategory(daemon, 'Forms')
  await daemon.post(`${CATEGORIES_URL}/${id}/assign`, { item_kind: 'skill', item_id: 'x' })
  const stranger = await daemon.tokenFor('stranger')

  const replies = [
    await daemon.request({
      method: 'PUT',
      url: `${CATEGORIES_URL}/${id}`,
      payload: {},
      token: stranger,
    }),
    await daemon.delete(`${CATEGORIES_URL}/${id}`, stranger),
    await daemon.post(`${CATEGORIES_URL}/${id}/assign`, { item_kind: 'skill', item_id: 'y' }, stranger),
    await daemon.delete(`${CATEGORIES_URL}/${id}/items/skill/x`, stranger),
    await daemon.get(`${CATEGORIES_URL}/${id}/items`, stranger),
  ]

  for (const reply of replies) {
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toMatchObject({ error: { code: 'CATEGORY_NOT_FOUND' } })
  }
  expect((await daemon.get(CATEGORIES_URL, stranger)).json()).toMatchObject({ categories: [] })
  expect(listChanges(daemon)).toEqual(['created', 'assigned'])
  await createCategory(daemon, 'Forms', stranger)
  expect((await daemon.get(`${CATEGORIES_URL}/${id}/items`)).json()).toMatchObject({
    items: [{ item_id: 'x' }],
  })
})

test('a read token can list categories and change none', async () => {
  const daemon = await startDaemon()
  const reader = await daemon.tokenFor('local', 'read')
  const id = await createCategory(daemon, 'Forms')
  const item = { item_kind: 'skill', item_id: 'x' }
  await daemon.post(`${CATEGORIES_URL}/${id}/assign`, item)

  expect((await daemon.get(CATEGORIES_URL, reader)).json()).toMatchObject({ categories: [{}] })
  const replies = [
    await daemon.post(CATEGORIES_URL, { title: 'New' }, reader),
    await daemon.request({
      method: 'PUT',
      url: `${CATEGORIES_URL}/${id}`,
      payload: { title: 'Renamed' },
      token: reader,
    }),
    await daemon.post(`${CATEGORIES_URL}/${id}/assign`, { ...item, item_id: 'y' }, reader),
    await daemon.delete(`${CATEGORIES_URL}/${id}/items/skill/x`, reader),
    await daemon.delete(`${CATEGORIES_URL}/${id}`, reader),
  ]
  for (const reply of replies) expect(reply.statusCode).toBe(403)
  expect(listChanges(daemon)).toEqual(['created', 'assigned'])
})
