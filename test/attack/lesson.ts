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

const press = (matcher: object): object => ({ type: 'click', params: { matcher } })

/** What an ability of the lesson can be given. */
export const LESSON_INPUTS = { unit: 'Kitchen', temperature: 23 }

/**
 * Teaches a skill by demonstration, rehearses and installs it, so that there are observations, evidence, a proposal and an
 * ability to attack. Returns the id of the ability. Throws if a step is refused.
 */
export async function teachLesson(
  daemon: AttackedDaemon,
  serial: string,
  { token, pool }: { token: string; pool: IdPool },
): Promise<string> {
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
  const warmer = press({ contentDescEquals: 'Warmer' })
  const actions = [
    openApp(),
    tap('Reception'),
    warmer,
    warmer,
    tap('Save'),
    press({ resourceId: 'android:id/button1' }),
  ]
  const shown = await post('/api/executions', { execution: buildExecution(actions, 60_000), serial, wait_ms: 90_000 })
  if (shown.execution?.state !== 'succeeded') throw new Error('The demonstration failed.')
  await post(`${session}/mark-goal`, { goal_description: 'Set the temperature of a unit' })
  await post(`${session}/stop`)
  const { proposal_id } = await post(`${session}/generate-proposal`)
  const test_policy = { policy_id: randomUUID(), mode: 'controlled_live_test', max_actions: 100 }
  await post(`${session}/set-test-policy`, { test_policy })
  const proposal = `/api/learn/proposals/${proposal_id ?? ''}`
  pool.collect((await daemon.call('GET', `${proposal}/detail`, undefined, { token })).body)
  await post(`${proposal}/validate`, { wait_ms: 90_000 })
  return String((await post(`${proposal}/install`)).ability_id)
}
