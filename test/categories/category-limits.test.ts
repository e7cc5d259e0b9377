import { expect, test } from 'vitest'
import type { Category } from '@apprentice/contracts/admin/categories.ts'
import { startDaemon } from '../kit/daemon.ts'

const url = '/api/categories'

test('the hundredth category is the last, however many are asked for at once', async () => {
  const daemon = await startDaemon()

  const replies = await Promise.all(
    Array.from({ length: 103 }, (_, n) => daemon.post(url, { title: `Category ${n}` })),
  )

  expect(replies.filter((reply) => reply.statusCode === 201)).toHaveLength(100)
  for (const refused of replies.filter((reply) => reply.statusCode !== 201)) {
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({
      error: { code: 'CATEGORY_LIMIT_REACHED', retryable: false, details: { limit: 100 } },
    })
  }
  const { categories } = (await daemon.get(url)).json<{ categories: Category[] }>()
  expect(categories).toHaveLength(100)

  await daemon.delete(`${url}/${categories[0]?.category_id}`)
  expect((await daemon.post(url, { title: 'One more' })).statusCode).toBe(201)
})

test("one user's limit is not another's", async () => {
  const daemon = await startDaemon()
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => daemon.post(url, { title: `Category ${n}` })),
  )
  const other = await daemon.tokenFor('other')
  expect((await daemon.post(url, { title: 'Mine' }, other)).statusCode).toBe(201)
})

test('the five hundredth item of a category is the last, and an old one may come again', async () => {
  const daemon = await startDaemon()
  const id = (await daemon.post(url, { title: 'Full' })).json<Category>().category_id
  const assign = (item_id: string) =>
    daemon.post(`${url}/${id}/assign`, { item_kind: 'skill', item_id })
  await Promise.all(Array.from({ length: 500 }, (_, n) => assign(`skill-${n}`)))

  const refused = await assign('one-more')
  const again = await assign('skill-0')

  expect(refused.statusCode).toBe(409)
  expect(refused.json()).toMatchObject({
    error: { code: 'CATEGORY_LIMIT_REACHED', details: { limit: 500 } },
  })
  expect(again.statusCode).toBe(200)
  const { items } = (await daemon.get(`${url}/${id}/items`)).json<{ items: unknown[] }>()
  expect(items).toHaveLength(500)
})
