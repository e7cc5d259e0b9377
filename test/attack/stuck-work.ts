import { setTimeout as sleep } from 'node:timers/promises'
import { listSlotStates } from '../../src/domain/sessions/session-machine.ts'
import type { AttackedDaemon } from './attacked-daemon.ts'

/** How long work may take to end after it was cancelled. */
const SETTLE_MS = 60_000

/**
 * Cancels what an attack left open, as its users could, and returns what is open nevertheless: jobs, runs, imports,
 * leases, sessions and streams.
 */
export async function findStuckWork(
  daemon: AttackedDaemon,
  tokens: Readonly<Record<string, string>>,
): Promise<string[]> {
  const until = Date.now() + SETTLE_MS
  let found = await closeAll(daemon, tokens)
  while (found.length > 0 && Date.now() < until) {
    await sleep(500)
    found = await closeAll(daemon, tokens)
  }
  return found
}

async function closeAll(daemon: AttackedDaemon, tokens: Readonly<Record<string, string>>): Promise<string[]> {
  const refused: string[] = []
  const close = async (owner: unknown, path: string, body: object = {}) => {
    const reply = await daemon.call('POST', path, body, { token: tokens[String(owner)] })
    if (reply.status >= 400 && reply.status !== 409) refused.push(`${path} answered ${reply.status}: ${reply.text}`)
  }
  for (const row of await daemon.query(OPEN_EXECUTIONS))
    await close(row['owner'], `/api/executions/${String(row['id'])}/cancel`)
  for (const row of await daemon.query(OPEN_SKILL_RUNS))
    await close(row['owner'], `/api/skills/runs/${String(row['id'])}/cancel`)
  for (const row of await daemon.query(OPEN_SCENE_RUNS))
    await close(row['owner'], `/api/scenes/runs/${String(row['id'])}/cancel`)
  for (const row of await daemon.query(OPEN_SESSIONS)) {
    await close(row['owner'], `/api/learn/sessions/${String(row['id'])}/cancel`)
  }
  for (const row of await daemon.query(
    `SELECT serial, owner_user_id AS owner FROM device_leases WHERE expires_at > strftime('%Y-%m-%dT%H:%M:%fZ')`,
  )) {
    await close(row['owner'], `/api/devices/${encodeURIComponent(String(row['serial']))}/lease/release`)
  }
  return [...refused, ...(await listOpen(daemon))]
}

const SLOT_STATES = listSlotStates('settled')
  .map((state) => `'${state}'`)
  .join(', ')
const OPEN_EXECUTIONS = `SELECT execution_id AS id, owner_user_id AS owner FROM executions
  JOIN jobs ON job_id = execution_id WHERE jobs.state IN ('queued', 'running')`
const OPEN_SKILL_RUNS = `SELECT run_id AS id, owner_user_id AS owner FROM skill_runs WHERE state IN ('queued', 'running')`
const OPEN_SCENE_RUNS = `SELECT run_id AS id, owner_user_id AS owner FROM scene_runs WHERE state IN ('queued', 'running')`
const OPEN_SESSIONS = `SELECT learn_session_id AS id, owner_user_id AS owner FROM learn_sessions WHERE state IN (${SLOT_STATES})`

async function listOpen(daemon: AttackedDaemon): Promise<string[]> {
  const jobs = await daemon.query(`SELECT kind, state, job_id FROM jobs
    WHERE state = 'running' OR (state = 'queued' AND run_after <= strftime('%Y-%m-%dT%H:%M:%fZ'))`)
  const sessions = await daemon.query(OPEN_SESSIONS)
  const leases = await daemon.query(
    `SELECT serial FROM device_leases WHERE expires_at > strftime('%Y-%m-%dT%H:%M:%fZ')`,
  )
  const { text: metrics } = await daemon.call('GET', '/metrics')
  const streams = Number(/^apprentice_streams_open (\S+)$/m.exec(metrics)?.[1] ?? -1)
  return [
    ...jobs.map(({ kind, state, job_id }) => `job ${String(kind)} ${String(job_id)} is ${String(state)}`),
    ...sessions.map(({ id }) => `session ${String(id)} holds a slot`),
    ...leases.map(({ serial }) => `device ${String(serial)} is leased`),
    ...(streams === 0 ? [] : [`${streams} streams are open`]),
  ]
}
