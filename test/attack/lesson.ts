import { randomUUID } from 'node:crypto'
import type { AttackedDaemon } from './attacked-daemon.ts'
import type { IdPool } from './id-pool.ts'

const CLIMATE = 'org.apprentice.climate'

/** One execution with these actions. */
export const buildExecution = (actions: readonly object[], timeoutMs = 10_000): object => ({
  commandId: randomUUID(),
  taskId: 'attack',
  source: 'attack',
  expectedFormat: 'android-ui-automator',
  timeoutMs,
  actions: actions.map((action, at) => ({ id: `a${at}`, ...action })),
})

export const openApp = (applicationId = CLIMATE): object => ({ type: 'open_app', params: { applicationId } })
export const tap = (text: string): object => ({ type: 'click', params: { matcher: { textEquals: text } } })

/**
 * Teaches a skill by demonstration, so that there are observations, evidence and a proposal to attack. Throws if a step is refused.
 */
export async function teachLesson(
  daemon: AttackedDaemon,
  serial: string,
  { token, pool }: { token: string; pool: IdPool },
): Promise<void> {
  const post = async (path: string, body: object = {}) => {
    const reply = await daemon.call('POST', path, body, { token })
    if (reply.status >= 300) throw new Error(`The lesson failed: ${path} answered ${reply.status}: ${reply.text}`)
    pool.collect(reply.body)
    return reply.body
  }
  const made = await post('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: serial,
  })
  const session = `/api/learn/sessions/${made.session?.learn_session_id ?? ''}`
  await post(`${session}/start`)
  const actions = [openApp(), tap('Reception'), tap('Warmer'), tap('Save')]
  await post('/api/executions', { execution: buildExecution(actions, 30_000), serial, wait_ms: 60_000 })
  await post(`${session}/mark-goal`, { goal_description: 'Set the temperature of a unit' })
  await post(`${session}/stop`)
  const { proposal_id } = await post(`${session}/generate-proposal`)
  const proposal = `/api/learn/proposals/${proposal_id ?? ''}`
  pool.collect((await daemon.call('GET', `${proposal}/detail`, undefined, { token })).body)
}
