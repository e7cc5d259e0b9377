import { expect, test } from 'vitest'
import type { Category } from '@apprentice/contracts/admin/categories.ts'
import { listAssignmentLogSince } from '../../src/store/categories/category-log.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const url = '/api/categories'

async function aCategory(daemon: Daemon, title: string, token?: string): Promise<string> {
  const reply = await daemon.post(url, { title }, token)
  expect(reply.statusCode, reply.body).toBe(201)
  return reply.json<Category>().category_id
}

const log = (daemon: Daemon) =>
  daemon.system.store
    .read((reader) => listAssignmentLogSince(reader, { after: 0, limit: 10_000 }))
    .map(({ entry }) => `${entry.op} ${entry.item_kind} ${entry.item_id}`)

const changes = (daemon: Daemon) =>
  daemon
    .events()
    .filter((event) => event.kind === 'category.changed')
    .map((event) => event.payload['change'])

const putTitle = (daemon: Daemon, id: string, body: Record<string, unknown>) =>
  daemon.request({ method: 'PUT', url: `${url}/${id}`, payload: body })

test('a skill assigned to a new category is listed among its items', async () => {
  const daemon = await startDaemon()
  const id = await aCategory(daemon, 'Court forms')

  const assigned = await daemon.post(`${url}/${id}/assign`, {
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
  expect((await daemon.get(`${url}/${id}/items`)).json()).toEqual({
    items: [item],
    schema_version: 1,
  })
  expect(changes(daemon)).toEqual(['created', 'assigned'])
})

test('a category gets the usual colour unless it is given one', async () => {
  const daemon = await startDaemon()
  const plain = await daemon.post(url, { title: 'Plain' })
  const red = await daemon.post(url, { title: ' Red ', color: '#FF0000' })

  expect(plain.json()).toMatchObject({ title: 'Plain', color: '#6366F1', schema_version: 1 })
  expect(red.json()).toMatchObject({ title: 'Red', color: '#FF0000' })
  expect(plain.json()).not.toHaveProperty('owner_user_id')
  const titles = (await daemon.get(url)).json<{ categories: Category[] }>().categories
  expect(titles.map(({ title }) => title)).toEqual(['Plain', 'Red'])
})

test.each([
  ['no title', {}],
  ['a blank title', { title: '  ' }],
  ['a title over 80 characters', { title: 'x'.repeat(81) }],
  ['a colour that is none', { title: 'Red', color: 'red' }],
])('%s makes no category', async (_what, body) => {
  const daemon = await startDaemon()
  const reply = await daemon.post(url, body)
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  expect(daemon.events()).toEqual([])
})

test('one skill can be in several categories', async () => {
  const daemon = await startDaemon()
  const first = await aCategory(daemon, 'First')
  const second = await aCategory(daemon, 'Second')
  const item = { item_kind: 'skill', item_id: 'fill-form' }

  for (const id of [first, second]) {
    expect((await daemon.post(`${url}/${id}/assign`, item)).statusCode).toBe(200)
  }

  for (const id of [first, second]) {
    expect((await daemon.get(`${url}/${id}/items`)).json()).toMatchObject({ items: [item] })
  }
})

test('assigning an item again changes nothing and answers as the first time', async () => {
  const daemon = await startDaemon()
  const id = await aCategory(daemon, 'Forms')
  const item = { item_kind: 'skill', item_id: 'fill-form' }
  const first = await daemon.post(`${url}/${id}/assign`, item)
  daemon.clock.advance(5000)

  const second = await daemon.post(`${url}/${id}/assign`, item)

  expect(second.json()).toEqual(first.json())
  expect(changes(daemon)).toEqual(['created', 'assigned'])
  expect(log(daemon)).toEqual(['add skill fill-form'])
})

test('the same name of another kind is another item', async () => {
  const daemon = await startDaemon()
  const id = await aCategory(daemon, 'Forms')
  await daemon.post(`${url}/${id}/assign`, { item_kind: 'skill', item_id: 'x' })
  await daemon.post(`${url}/${id}/assign`, { item_kind: 'bundle', item_id: 'x' })

  const removed = await daemon.delete(`${url}/${id}/items/skill/x`)

  expect(removed.json()).toEqual({ deleted: true })
  expect((await daemon.get(`${url}/${id}/items`)).json()).toMatchObject({
    items: [{ item_kind: 'bundle' }],
  })
})

test('an item whose id has slashes and colons can be removed by its encoded name', async () => {
  const daemon = await startDaemon()
  const id = await aCategory(daemon, 'Forms')
  const item_id = 'a/b:c d'
  await daemon.post(`${url}/${id}/assign`, { item_kind: 'connector', item_id })

  const reply = await daemon.delete(`${url}/${id}/items/connector/${encodeURIComponent(item_id)}`)

  expect(reply.statusCode, reply.body).toBe(200)
  expect((await daemon.get(`${url}/${id}/items`)).json()).toMatchObject({ items: [] })
})

test('removing an item that is not there answers 404 and leaves no trace', async () => {
  const daemon = await startDaemon()
  const id = await aCategory(daemon, 'Forms')

  const reply = await daemon.delete(`${url}/${id}/items/skill/absent`)

  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
  expect(changes(daemon)).toEqual(['created'])
  expect(log(daemon)).toEqual([])
})

test('deleting a category removes its assignments, logs each, and frees its title', async () => {
  const daemon = await startDaemon()
  const id = await aCategory(daemon, 'Forms')
  const other = await aCategory(daemon, 'Other')
  for (const item_id of ['a', 'b']) {
    await daemon.post(`${url}/${id}/assign`, { item_kind: 'skill', item_id })
  }
  await daemon.post(`${url}/${other}/assign`, { item_kind: 'skill', item_id: 'a' })

  const reply = await daemon.delete(`${url}/${id}`)

  expect(reply.json()).toEqual({ deleted: true, removed_assignments: 2 })
  expect((await daemon.get(`${url}/${id}/items`)).json()).toMatchObject({
    error: { code: 'CATEGORY_NOT_FOUND' },
  })
  expect((await daemon.get(`${url}/${other}/items`)).json()).toMatchObject({
    items: [{ item_id: 'a' }],
  })
  expect(log(daemon).slice(3)).toEqual(['remove skill a', 'remove skill b'])
  await aCategory(daemon, 'forms')
})

test.each(['FORMS', ' Forms ', 'forms'])(
  'a second category called "%s" is refused by its title',
  async (title) => {
    const daemon = await startDaemon()
    await aCategory(daemon, 'Forms')

    const reply = await daemon.post(url, { title })

    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({
      error: { code: 'INVALID_REQUEST', details: { field: 'title' } },
    })
    expect(changes(daemon)).toEqual(['created'])
  },
)

test('titles that differ in more than case are different, also beyond ASCII', async () => {
  const daemon = await startDaemon()
  await aCategory(daemon, 'Übung')
  const same = await daemon.post(url, { title: 'U\u0308BUNG' })
  expect(same.statusCode).toBe(400)
  await aCategory(daemon, 'Ubung')
})

test('a category can be renamed, also only in case, but not to the title of another', async () => {
  const daemon = await startDaemon()
  const id = await aCategory(daemon, 'Forms')
  await aCategory(daemon, 'Letters')
  daemon.clock.advance(1000)

  const renamed = await putTitle(daemon, id, { title: 'FORMS', color: '#000000' })
  const taken = await putTitle(daemon, id, { title: 'letters' })

  expect(renamed.json()).toMatchObject({
    title: 'FORMS',
    color: '#000000',
    updated_at: daemon.clock.now.toISOString(),
  })
  expect(taken.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'title' } },
  })
  expect((await daemon.get(url)).json()).toMatchObject({
    categories: [{ title: 'FORMS' }, { title: 'Letters' }],
  })
})

test('an update that says nothing new leaves the category as it was', async () => {
  const daemon = await startDaemon()
  const id = await aCategory(daemon, 'Forms')
  const before = (await daemon.get(url)).json()
  daemon.clock.advance(1000)

  await putTitle(daemon, id, {})
  await putTitle(daemon, id, { title: 'Forms', color: '#6366F1' })

  expect((await daemon.get(url)).json()).toEqual(before)
  expect(changes(daemon)).toEqual(['created'])
})

test("another user's category answers as an unknown one, and titles do not clash", async () => {
  const daemon = await startDaemon()
  const id = await aCategory(daemon, 'Forms')
  await daemon.post(`${url}/${id}/assign`, { item_kind: 'skill', item_id: 'x' })
  const stranger = await daemon.tokenFor('stranger')

  const answers = [
    await daemon.request({ method: 'PUT', url: `${url}/${id}`, payload: {}, token: stranger }),
    await daemon.delete(`${url}/${id}`, stranger),
    await daemon.post(`${url}/${id}/assign`, { item_kind: 'skill', item_id: 'y' }, stranger),
    await daemon.delete(`${url}/${id}/items/skill/x`, stranger),
    await daemon.get(`${url}/${id}/items`, stranger),
  ]

  for (const answer of answers) {
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toMatchObject({ error: { code: 'CATEGORY_NOT_FOUND' } })
  }
  expect((await daemon.get(url, stranger)).json()).toMatchObject({ categories: [] })
  await aCategory(daemon, 'Forms', stranger)
  expect((await daemon.get(`${url}/${id}/items`)).json()).toMatchObject({
    items: [{ item_id: 'x' }],
  })
})

test('who may only read sees categories and changes none', async () => {
  const daemon = await startDaemon()
  const reader = await daemon.tokenFor('local', 'read')
  await aCategory(daemon, 'Forms')

  expect((await daemon.get(url, reader)).json()).toMatchObject({ categories: [{}] })
  expect((await daemon.post(url, { title: 'New' }, reader)).statusCode).toBe(403)
})
