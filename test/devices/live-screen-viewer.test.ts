import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { ScreenViewer } from '../../src/device-runtime/live/screen-viewer.ts'

/** A connection that takes little before it is full, and nothing more until it is read. */
function aSlowConnection() {
  const sink = new PassThrough({ highWaterMark: 16 })
  const readAll = (): string => sink.read()?.toString() ?? ''
  return { sink, readAll }
}

const patience = { timeout: 10_000 }

const told = (text: string, event: string): string[] =>
  [...text.matchAll(new RegExp(`event: ${event}\ndata: (.*)\n`, 'g'))].map(
    (match) => match[1] ?? '',
  )

test('who is slow gets the newest of each kind and nothing that is past', async () => {
  const { sink, readAll } = aSlowConnection()
  const viewer = new ScreenViewer(sink, { key: 'k', maxFps: 1000 })
  for (let at = 1; at <= 500; at += 1) {
    viewer.offer('frame', `"frame ${at}"`)
    viewer.offer('elements', `"elements ${at}"`)
  }
  let heard = ''
  await vi.waitUntil(() => {
    heard += readAll()
    return told(heard, 'frame').length > 1
  }, patience)
  expect(told(heard, 'frame')).toEqual(['"frame 1"', '"frame 500"'])
  expect(told(heard, 'elements')).toEqual(['"elements 500"'])
  viewer.leave()
})

test('a viewer keeps to its own rate and still ends with the newest picture', async () => {
  const sink = new PassThrough({ highWaterMark: 1_000_000 })
  const viewer = new ScreenViewer(sink, { key: 'k', maxFps: 5 })
  for (let at = 1; at <= 20; at += 1) viewer.offer('frame', String(at))
  viewer.offer('screen_state', '"live"')
  expect(told(String(sink.read()), 'frame')).toEqual(['1'])
  await vi.waitUntil(() => sink.readableLength > 0, patience)
  expect(told(String(sink.read()), 'frame')).toEqual(['20'])
  viewer.leave()
})

test('who has left hears nothing', () => {
  const sink = new PassThrough({ highWaterMark: 16 })
  const viewer = new ScreenViewer(sink, { key: 'k', maxFps: 10 })
  viewer.offer('elements', `"${'x'.repeat(100)}"`)
  viewer.offer('screen_state', '"live"')
  viewer.leave()
  const heard = String(sink.read())
  sink.emit('drain')
  expect(told(heard, 'screen_state')).toEqual([])
  expect(sink.read()).toBeNull()
})
