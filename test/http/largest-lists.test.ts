import { expect, test } from 'vitest'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { findExecution, insertExecution } from '../../src/store/devices/executions.ts'
import { startDaemon } from '../kit/daemon.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'

const LONGEST_TURN_MS = 200
const PAGE = 100
/** A legal payload has less than 64,000 bytes, and a phone may show much text. */
const [ACTIONS, TEXT_CHARACTERS, SHOWN_CHARACTERS] = [14, 4000, 40_000]

test('a page of executions with large payloads and results delays no other request, and has no results', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' }, quick: true })
  const execution = {
    commandId: 'large',
    taskId: 't',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 30_000,
    // The first fails, because the screen has no such field.
    actions: Array.from({ length: ACTIONS }, (_, at) => ({
      id: `a${at}`,
      type: 'enter_text',
      params: { matcher: { textEquals: 'Nowhere' }, text: 'x'.repeat(TEXT_CHARACTERS) },
    })),
  }
  const done = await daemon.post('/api/executions', { execution, wait_ms: 30_000 })
  const { execution_id } = done.json<{ execution: ExecutionRecord }>().execution
  const row = daemon.system.store.read((reader) => findExecution(reader, execution_id) as never) as NonNullable<
    ReturnType<typeof findExecution>
  >
  const [result] = row.step_results
  if (row.envelope === undefined || result === undefined) throw new Error(done.body)
  const results = Array.from({ length: ACTIONS }, (_, at) => ({
    ...result,
    id: `a${at}`,
    data: { text: 'x'.repeat(SHOWN_CHARACTERS) },
  }))
  const large = { ...row, step_results: results, envelope: { ...row.envelope, stepResults: results } }
  const nameCopy = (at: number): string => String(at).padStart(8, '0') + execution_id.slice(8)
  await daemon.system.store.write((tx) => {
    for (let at = 1; at < PAGE; at += 1) {
      insertExecution(tx, {
        ...large,
        execution_id: nameCopy(at),
        command_id: `c${at}`,
      })
    }
  })
  const read = () => daemon.get(`/api/executions?page_size=${PAGE}`)
  let reply = await read()
  const turn = await measureLongestTurn(async () => {
    reply = await read()
  })
  expect(turn).toBeLessThan(LONGEST_TURN_MS)
  const { executions: listed } = reply.json<{ executions: ExecutionRecord[] }>()
  expect(listed).toHaveLength(PAGE)
  expect(listed.filter(({ completed_steps }) => completed_steps === ACTIONS)).toHaveLength(PAGE - 1)
  expect(listed.filter((one) => 'envelope' in one || one.execution.actions.length !== ACTIONS)).toEqual([])
  const one = (await daemon.get(`/api/executions/${nameCopy(PAGE - 1)}`)).json<{ execution: ExecutionRecord }>()
  expect(one.execution.envelope?.stepResults).toHaveLength(ACTIONS)
})
