import { expect, test } from 'vitest'
import { extractNetworkSignals } from '../../src/knowledge/verification/network-signals.ts'

const read = (text: string) => extractNetworkSignals([{ text }])

test.each([
  ['--> GET https://api.example.org/v1/orders?user=7', 'https://api.example.org/v1/orders', 'unknown'],
  [
    '<-- 200 https://api.example.org/v1/orders (120ms) status code: 200',
    'https://api.example.org/v1/orders',
    'success',
  ],
  ['https://api.example.org/v1/orders 503 Service Unavailable', 'https://api.example.org/v1/orders', 'retryable'],
  ['POST /v1/orders HTTP/1.1 404', '/v1/orders', 'failure'],
  ['response code=429 for "/v1/orders"', '/v1/orders', 'retryable'],
  ['GET /v1/orders timed out', '/v1/orders', 'failure'],
])('the line "%s" names a request', (line, endpoint, status) => {
  expect(read(line)).toEqual([{ endpoint, status }])
})

test.each([
  'Loaded /data/app/org.example/base.apk',
  'GET /system/lib64/libc.so',
  'open /storage/emulated/0 status code 200',
  'The view has 200 children',
  'path /home/screen was shown',
  'GET index',
])('the line "%s" names no request', (line) => {
  expect(read(line)).toEqual([])
})

test('a long line takes time in proportion to its length', () => {
  const line = `GET ${'/a'.repeat(500_000)}`
  const started = performance.now()
  read(line)
  expect(performance.now() - started).toBeLessThan(1000)
})
