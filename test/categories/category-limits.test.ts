import { expect, test } from 'vitest'
import type { Category } from '@apprentice/contracts/admin/categories.ts'
import { startDaemon } from '../kit/daemon.ts'

const CATEGORIES_URL = '/api/categories'

test('of 103 concurrent creates exactly 100 categories are created', async () => {
  const daemon = await startDaemon()

  const replies = await Promise.all(
    Array.from({ length: 103 }, (_, n) => daemon.post(CATEGORIES_URL, { title: `Category ${n}` })),
  )

  expect(replies.filter((reply) => reply.statusCode === 201)).toHaveLength(100)
  for (const refused of replies.filter((reply) => reply.statusCode !== 201)) {
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({
      error: { code: 'CATEGORY_LIMIT_REACHED', retryable: false, details: { limit: 100 } },
    })
  }
  const { categories } = (await daemon.get(CATEGORIES_URL)).json<{ categories: Category[] }>()
  expect(categories).toHaveLength(100)

  await daemon.delete(`${CATEGORIES_URL}/${categories[0]?.category_id}`)
  expect((await daemon.post(CATEGORIES_URL, { title: 'One more' })).statusCode).toBe(201)
})

test('the category limit applies per user', async () => {
  const daemon = await startDaemon()
  await Promise.all(Array.from({ length: 100 }, (_, n) => daemon.post(CATEGORIES_URL, { title: `Category ${n}` })))
  const other = await daemon.tokenFor('other')
  expect((await daemon.post(CATEGORIES_URL, { title: 'Mine' }, other)).statusCode).toBe(201)
})

test('a category holds at most 500 items; assigning an existing item again succeeds', async () => {
  const daemon = await startDaemon()
  const id = (await daemon.post(CATEGORIES_URL, { title: 'Full' })).json<Category>().category_id
  const assign = (item_id: string) => daemon.post(`${CATEGORIES_URL}/${id}/assign`, { item_kind: 'skill', item_id })
  await Promise.all(Array.from({ length: 500 }, (_, n) => assign(`skill-${n}`)))

  const refused = await assign('one-more')
  const again = await assign('skill-0')

  expect(refused.statusCode).toBe(409)
  expect(refused.json()).toMatchObject({
    error: { code: 'CATEGORY_LIMIT_REACHED', details: { limit: 500 } },
  })
  expect(again.statusCode).toBe(200)
  const { items } = (await daemon.get(`${CATEGORIES_URL}/${id}/items`)).json<{ items: unknown[] }>()
  expect(items).toHaveLength(500)
})
