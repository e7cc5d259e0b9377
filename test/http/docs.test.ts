import { expect, test } from 'vitest'
import { shareDaemon } from '../kit/daemon.ts'

const daemon = shareDaemon()
const get = (url: string) => daemon().request({ method: 'GET', url, token: null })

test.each([
  ['/docs', 'text/html; charset=utf-8', '<div id="swagger-ui">'],
  ['/docs/static/swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
  ['/docs/static/swagger-initializer.js', 'application/javascript; charset=utf-8', '/docs/teaching.json'],
])('%s needs no token and has the headers of every reply and its own policy', async (url, type, part) => {
  const reply = await get(url)
  expect(reply.statusCode).toBe(200)
  expect(reply.headers).toMatchObject({
    'content-type': type,
    'content-security-policy': expect.stringContaining("default-src 'self'"),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-correlation-id': expect.any(String),
  })
  expect(reply.body).toContain(part)
})

test('an unknown page is answered with the error envelope', async () => {
  const reply = await get('/docs/static/missing.js')
  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'NOT_FOUND', retryable: false } })
})

test('a page is opened by GET only', async () => {
  const reply = await daemon().request({ method: 'POST', url: '/docs', token: null, payload: {} })
  expect(reply.statusCode).toBe(404)
})

test('the documents of the pages have all paths, each with the schemas that it uses and no others', async () => {
  type Document = { paths: Record<string, unknown>; components: { schemas: Record<string, unknown> } }
  const whole = (await get('/openapi.json')).json<Document>()
  const names = ['teaching', 'phones', 'operation']
  const parts = await Promise.all(names.map(async (name) => (await get(`/docs/${name}.json`)).json<Document>()))
  const paths = parts.flatMap((part) => Object.keys(part.paths))
  expect(paths.toSorted()).toEqual(Object.keys(whole.paths).toSorted())
  for (const part of parts) {
    const refs = [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name)
    expect([...new Set(refs)].toSorted()).toEqual(Object.keys(part.components.schemas).toSorted())
  }
})
