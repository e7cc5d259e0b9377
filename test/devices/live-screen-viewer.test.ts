import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { ScreenViewer } from '../../src/device-runtime/live/screen-viewer.ts'

/** Opens a connection with a small buffer that is full until it is read. */
function openSlowConnection() {
  const sink = new PassThrough({ highWaterMark: 16 })
  const readAll = (): string => sink.read()?.toString() ?? ''
  return { sink, readAll }
}

const TIMEOUT = { timeout: 10_000 }

const readEvents = (text: string, event: string): string[] =>
  [...text.matchAll(new RegExp(`event: ${event}\ndata: (.*)\n`, 'g'))].map((match) => match[1] ?? '')

test('a slow viewer gets only the newest event of each kind', async () => {
  const { sink, readAll } = openSlowConnection()
  const viewer = new ScreenViewer(sink, { principal: 'k', maxFps: 1000 })
  for (let at = 1; at <= 500; at += 1) {
    viewer.offer('frame', `"frame ${at}"`)
    viewer.offer('elements', `"elements ${at}"`)
  }
  let received = ''
  await vi.waitUntil(() => {
    received += readAll()
    return readEvents(received, 'frame').length > 1
  }, TIMEOUT)
  expect(readEvents(received, 'frame')).toEqual(['"frame 1"', '"frame 500"'])
  expect(readEvents(received, 'elements')).toEqual(['"elements 500"'])
  viewer.leave()
})

test('a viewer gets pictures at its own rate, and the newest one last', async () => {
  const sink = new PassThrough({ highWaterMark: 1_000_000 })
  const viewer = new ScreenViewer(sink, { principal: 'k', maxFps: 5 })
  for (let at = 1; at <= 20; at += 1) viewer.offer('frame', String(at))
  viewer.offer('screen_state', '"live"')
  expect(readEvents(String(sink.read()), 'frame')).toEqual(['1'])
  await vi.waitUntil(() => sink.readableLength > 0, TIMEOUT)
  expect(readEvents(String(sink.read()), 'frame')).toEqual(['20'])
  viewer.leave()
})

test('a viewer that has left gets no more events', () => {
  const sink = new PassThrough({ highWaterMark: 16 })
  const viewer = new ScreenViewer(sink, { principal: 'k', maxFps: 10 })
  viewer.offer('elements', `"${'x'.repeat(100)}"`)
  viewer.offer('screen_state', '"live"')
  viewer.leave()
  const received = String(sink.read())
  sink.emit('drain')
  expect(readEvents(received, 'screen_state')).toEqual([])
  expect(sink.read()).toBeNull()
})
