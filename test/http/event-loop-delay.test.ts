import { expect, test } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDaemon } from '../kit/daemon.ts'

function blockEventLoop(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end) JSON.stringify({})
}

test('a blocked event loop is visible in the metrics and in the readiness', async () => {
  const daemon = await startDaemon()
  await sleep(30)
  blockEventLoop(1200)
  await sleep(30)
  const ready = (await daemon.get('/readyz')).json<{ status: string; event_loop: Record<string, unknown> }>()
  expect(ready).toMatchObject({ status: 'degraded', event_loop: { status: 'degraded' } })
  expect(ready.event_loop['delay_ms']).toBeGreaterThan(1000)
  const metrics = (await daemon.get('/metrics')).body
  const longest = /^apprentice_event_loop_delay_seconds\{statistic="max"\} (\S+)$/m.exec(metrics)?.[1]
  expect(Number(longest)).toBeGreaterThan(1)
})
