import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'
import { bodyRoutes, buildLargestBody } from './largest-bodies.ts'
import { SubjectFactory } from './largest-subjects.ts'

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'
const DEFAULT_LIMIT = 1_048_576
/** No other turn of the event loop may delay a reply such as that of /healthz by more than this. */
const LONGEST_TURN_MS = 200
/** Work that takes longer should leave the main thread. `LIST_TURNS=1` lists the routes above it. */
const LISTED_TURN_MS = 50

interface SenderReply {
  readonly status: number
  readonly answered: number
  readonly failed: number
}

test('no route blocks the event loop with its largest body, and /healthz answers throughout', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' }, quick: true })
  const { url } = await daemon.listen()
  const subjects = new SubjectFactory(daemon)
  // The sender and its questions to /healthz run in a process of their own, so that this one only answers.
  const sender = fork(join(import.meta.dirname, 'largest-sender.mjs'), { execArgv: [] })
  onTestFinished(() => void sender.kill())
  const slow: string[] = []
  const statuses = new Set<number>()
  const illegal: string[] = []
  const listed: string[] = []
  for (const contract of bodyRoutes) {
    const { token, ids } = await subjects.create(contract)
    const body = buildLargestBody(contract, contract.body_limit ?? DEFAULT_LIMIT, ids)
    if (!contract.body.safeParse(JSON.parse(body)).success) illegal.push(contract.url)
    const path = contract.url.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) => ids[name] ?? UNKNOWN_ID)
    const ready = once(sender, 'message')
    sender.send({ url, method: contract.method, path, token, body })
    await ready
    const turn = await measureLongestTurn(async () => {
      const sent = once(sender, 'message')
      sender.send('go')
      const [{ status, failed }] = (await sent) as [SenderReply]
      expect([contract.url, status > 0, failed]).toEqual([contract.url, true, 0])
      statuses.add(status)
    })
    const line = `${contract.method} ${contract.url}: ${Math.round(turn)} ms for ${body.length} bytes`
    if (turn > LISTED_TURN_MS) listed.push(line)
    if (turn > LONGEST_TURN_MS) slow.push(line)
  }
  if (process.env.LIST_TURNS === '1') process.stdout.write(`${listed.join('\n')}\n`)
  expect(slow).toEqual([])
  // Bodies that are all refused would prove nothing.
  expect([...statuses]).toContain(200)
  expect(illegal.length, illegal.join('\n')).toBeLessThan(bodyRoutes.length / 10)
}, 300_000)
