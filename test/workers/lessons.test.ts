import { expect, test } from 'vitest'
import { writeAs } from '../../src/domain/command/context.ts'
import { generateProposal } from '../../src/domain/review/generate-proposal.ts'
import { Lessons } from '../../src/jobs/lessons.ts'
import { findSessionStatus } from '../../src/store/sessions/learn-sessions.ts'
import { WorkerPool } from '../../src/workers/worker-pool.ts'
import { startDaemon } from '../kit/daemon.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'
import { demonstrateSession } from '../learn/demonstrated-session.ts'
import { addScreens } from './large-demonstration.ts'

const LONGEST_TURN_MS = 200

test('a large demonstration is interpreted without blocking the event loop', async () => {
  const daemon = await startDaemon()
  const labels = Array.from({ length: 30 }, (_, at) => `Turn on room ${at}`)
  const id = await demonstrateSession(daemon, { labels, goal: 'Turn on the rooms' })
  await addScreens(daemon, id, 30)
  const url = `/api/learn/sessions/${id}`
  const asked = new AbortController()
  let answered = 0
  const askForHealth = async () => {
    while (!asked.signal.aborted) {
      expect((await daemon.get('/healthz')).statusCode).toBe(200)
      answered += 1
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  const turn = await measureLongestTurn(async () => {
    const asking = askForHealth()
    const understood = await daemon.get(`${url}/understanding`)
    expect(understood.json<{ understanding: { steps: object[] } }>().understanding.steps.length).toBeGreaterThan(20)
    const drafted = await daemon.post(`${url}/generate-proposal`)
    expect(drafted.statusCode, drafted.body).toBe(201)
    asked.abort()
    await asking
  })
  expect(turn).toBeLessThan(LONGEST_TURN_MS)
  expect(answered).toBeGreaterThan(10)
}, 240_000)

test('an unchanged demonstration is interpreted once, also for its draft, and a changed one again', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, { labels: ['Turn on room 0', 'Turn on room 1'] })
  await addScreens(daemon, id, 3)
  let interpreted = 0
  const lessons = new Lessons(async () => {
    interpreted += 1
    return undefined
  })
  const recorded = daemon.system.demonstrations.openSession(id, 'local')
  const lesson = { context: { marks: [] }, is_outcome_hidden: false, named_inputs: [] }
  await Promise.all([lessons.learn(recorded, lesson), lessons.learn(recorded, lesson)])
  expect(interpreted).toBe(1)
  await lessons.learn(recorded, { ...lesson, outcome_words: 'Room 1 is on' })
  expect(interpreted).toBe(2)
})

test('a demonstration that takes too long to interpret is refused, and the command changes nothing', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, { labels: ['Turn on room 0', 'Turn on room 1'] })
  await addScreens(daemon, id, 3)
  const pool = new WorkerPool({ processes: 1, timeout_ms: 1, waiting: 1, heap_megabytes: 64 })
  const lessons = new Lessons((input) => pool.run('learnRecordedLesson', input))
  const recorded = daemon.system.demonstrations.openSession(id, 'local')
  const { store, clock, newId } = daemon.system
  const origin = { actor: { kind: 'user' as const, user_id: 'local' }, correlation_id: 'test' }
  const drafting = lessons.draft(recorded, (compile) =>
    writeAs({ store, clock, newId }, origin, (ctx) => generateProposal(ctx, id, compile)),
  )
  await expect(drafting).rejects.toMatchObject({ code: 'WORK_LIMIT_EXCEEDED', details: { limit: 'time' } })
  expect(store.read((reader) => findSessionStatus(reader, id)?.state)).toBe('stopped')
  expect((await daemon.get('/api/learn/proposals')).json()).toMatchObject({ total: 0 })
})

test('a stop ends an interpretation at once', async () => {
  const daemon = await startDaemon()
  const labels = Array.from({ length: 20 }, (_, at) => `Turn on room ${at}`)
  const id = await demonstrateSession(daemon, { labels })
  await addScreens(daemon, id, 30)
  const asked = daemon.get(`/api/learn/sessions/${id}/understanding`)
  daemon.system.lessons.close()
  expect((await asked).json()).toMatchObject({ error: { code: 'SHUTTING_DOWN' } })
  expect((await daemon.get('/healthz')).statusCode).toBe(200)
})
