import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'
import { bodyRoutes, buildLargestBody } from './largest-bodies.ts'

const ID = '00000000-0000-4000-8000-000000000000'
const DEFAULT_LIMIT = 1_048_576

test('no route blocks the event loop with its largest body', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' }, quick: true })
  const slow: string[] = []
  for (const contract of bodyRoutes) {
    const payload = buildLargestBody(contract, contract.body_limit ?? DEFAULT_LIMIT)
    const url = contract.url.replaceAll(/:[A-Za-z]+/g, ID)
    const send = () =>
      daemon.request({ method: contract.method, url, payload, headers: { 'content-type': 'application/json' } })
    const turn = await measureLongestTurn(send)
    if (turn > 200) slow.push(`${contract.method} ${contract.url}: ${Math.round(turn)} ms for ${payload.length} bytes`)
  }
  expect(slow).toEqual([])
})
