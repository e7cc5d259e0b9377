import { describe, expect, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { shareDaemon } from '../kit/daemon.ts'
import { connectClient, readError } from '../mcp/mcp-client.ts'
import { browserPath } from './page-scene.ts'

const ABILITY = '/api/abilities/scene.tq-lineloss-report'
const INPUTS = { org: '兰州公司', period: '2026年3月' }
const daemon = shareDaemon({
  now: '2026-04-15T08:00:00.000Z',
  settings: { scenes: { samples: true, roots: [], time_zone: 'Asia/Shanghai' } },
})

const run = (body: Record<string, unknown>, token?: string) => daemon().post(`${ABILITY}/run`, body, token)
const errorOf = async (body: Record<string, unknown>) => {
  const reply = await run(body)
  return reply.json<{ error: { code: string; message: string; details?: Record<string, unknown> } }>().error
}

test('inputs that are missing, unknown, ambiguous or for a list are refused, and nothing is started', async () => {
  expect(await errorOf({ inputs: { org: '兰州公司' } })).toMatchObject({
    code: 'RECIPE_INPUT_MISSING',
    message: '已命中台区线损报表技能,但缺少统计周期。',
    details: { input: 'period', violations: [{ code: 'RECIPE_INPUT_MISSING', path: 'inputs.period' }] },
  })
  expect(await errorOf({ inputs: { ...INPUTS, room: 'x' } })).toMatchObject({
    code: 'RECIPE_INPUT_INVALID',
    details: { input: 'room' },
  })
  expect(await errorOf({ inputs: { ...INPUTS, period: '3月' } })).toMatchObject({
    code: 'SCENE_NOT_PLANNED',
    details: { input: 'period', dispatch: { outcome: 'ambiguous_params' } },
  })
  expect(await errorOf({ inputs: { ...INPUTS, org: '火星公司' } })).toMatchObject({
    code: 'SCENE_NOT_PLANNED',
    details: { input: 'org', dispatch: { outcome: 'missing_params' } },
  })
  expect(await errorOf({ inputs: INPUTS, items: [{ org: '天水公司' }] })).toMatchObject({ code: 'INVALID_REQUEST' })
  expect((await daemon().get('/api/scenes/runs')).json()).toMatchObject({ total: 0 })
})

describe.skipIf(browserPath === undefined)('a run of a scene as an ability', () => {
  test('ends with the report, and leaves a run and a use receipt like any ability', async () => {
    const body = { inputs: INPUTS, wait_ms: 60_000, dispatch_id: 'dispatch-1' }
    const reply = await run(body)
    expect(reply.statusCode).toBe(200)
    const ended = reply.json<{ run: AbilityRun }>().run
    expect(ended).toMatchObject({
      ability_id: 'scene.tq-lineloss-report',
      state: 'success',
      scene_run_id: ended.run_id,
      dispatch_id: 'dispatch-1',
      input_names: ['org', 'period'],
      outputs: { artifact_status: 'ok', row_count: expect.any(Number), period: '2026-03' },
    })
    expect(ended).not.toHaveProperty('serial')
    expect(ended).not.toHaveProperty('execution_id')
    expect((await daemon().get(`/api/scenes/runs/${ended.run_id}`)).json()).toMatchObject({
      run: { state: 'succeeded' },
    })
    expect((await daemon().get(String(ended.outputs['report_url']))).statusCode).toBe(200)
    expect((await daemon().get(`${ABILITY}/runs`)).json()).toMatchObject({ total: 1, runs: [{ state: 'success' }] })
    expect((await daemon().get('/api/capabilities/receipts')).json()).toMatchObject({
      receipts: [
        {
          receipt_id: ended.use_receipt_id,
          capability_id: 'scene.tq-lineloss-report',
          operation_id: ended.run_id,
          dispatch_id: 'dispatch-1',
          result: 'success',
        },
      ],
    })
    const kinds = daemon()
      .events()
      .filter(({ subject }) => subject === `run/${ended.run_id}`)
      .map(({ kind }) => kind)
    expect(kinds).toEqual(['ability.run.started', 'ability.run.settled'])
    // Another user sees neither the run nor its receipt.
    const other = await daemon().tokenFor('another')
    expect((await daemon().get(`/api/ability-runs/${ended.run_id}`, other)).statusCode).toBe(404)
    expect((await daemon().get('/api/capabilities/receipts', other)).json()).toMatchObject({ receipts: [] })
    expect((await daemon().post(`/api/ability-runs/${ended.run_id}/improve`, {})).statusCode).toBe(409)
  })

  test('agents find it, describe it and run it by a tool of its own', async () => {
    const { url } = await daemon().listen()
    const client = await connectClient(url)
    const found = await client.callTool({ name: 'find_abilities', arguments: { query: '台区线损 月累计' } })
    expect(found.structuredContent).toMatchObject({
      matches: [{ ability_id: 'scene.tq-lineloss-report', kind: 'runnable', inputs: ['org', 'period'] }],
    })
    const { tools } = await client.listTools()
    const own = tools.find(({ name }) => name === 'ability_scene_tq_lineloss_report')
    expect(own).toMatchObject({ description: expect.stringContaining('browser') })
    expect(own?.description).not.toContain('phone')
    const result = await client.callTool({ name: 'ability_scene_tq_lineloss_report', arguments: INPUTS })
    expect(result.structuredContent).toMatchObject({ state: 'success', outputs: { artifact_status: 'ok' } })
  })

  test('an ability that is switched off refuses runs by an instruction too', async () => {
    await daemon().post(`${ABILITY}/deactivate`)
    const before = (await daemon().get('/api/scenes/runs')).json<{ total: number }>().total
    const instruction = '兰州公司 2026年3月 台区线损 月累计。。。'
    for (const reply of [await run({ inputs: INPUTS }), await daemon().post('/api/scenes/runs', { instruction })]) {
      expect(reply.json()).toMatchObject({
        error: { code: 'ABILITY_UNUSABLE', details: { reason_unusable: 'disabled' } },
      })
    }
    expect((await daemon().get('/api/scenes/runs')).json()).toMatchObject({ total: before })
    await daemon().post(`${ABILITY}/activate`)
  })
})

describe('a client of MCP that can ask its person', () => {
  const TOOL = 'ability_scene_tq_lineloss_report'
  type Answer = { action: 'accept' | 'decline'; content?: Record<string, string> }

  /** Calls the tool of the scene with a person who gives these answers. Returns the questions too. */
  async function callAsking(given: Record<string, string>, answers: readonly Answer[]) {
    const asked: string[] = []
    const { url } = await daemon().listen()
    const answer = (message: string): Answer => {
      asked.push(message)
      return answers[asked.length - 1] ?? { action: 'decline' }
    }
    const client = await connectClient(url, { answer })
    return { asked, result: await client.callTool({ name: TOOL, arguments: given }) }
  }
  const countRuns = async () => (await daemon().get('/api/scenes/runs')).json<{ total: number }>().total

  test.skipIf(browserPath === undefined)(
    'a missing and an unclear input are asked in the words of the scene, and the run is done with the answers',
    async () => {
      const { asked, result } = await callAsking({ org: '兰州公司' }, [
        { action: 'accept', content: { period: '3月' } },
        { action: 'accept', content: { period: '2026年3月' } },
      ])
      expect(asked).toEqual([
        '已命中台区线损报表技能,但缺少统计周期。',
        '已命中台区线损报表技能,但统计周期存在歧义,请补充更明确表达。',
      ])
      expect(result.structuredContent).toMatchObject({ state: 'success', outputs: { period: '2026-03' } })
    },
  )

  test('a question that is declined, or answered with no known name, ends in the refusal, and nothing runs', async () => {
    const before = await countRuns()
    const declined = await callAsking({ org: '兰州公司' }, [{ action: 'decline' }])
    expect(declined.asked).toHaveLength(1)
    expect(declined.result.isError).toBe(true)
    expect(readError(declined.result)).toMatchObject({
      code: 'RECIPE_INPUT_MISSING',
      message: '已命中台区线损报表技能,但缺少统计周期。',
    })
    const unknown = await callAsking({ period: '2026年3月' }, [
      { action: 'accept', content: { org: '火星公司' } },
      { action: 'accept', content: { org: '月球公司' } },
      { action: 'accept', content: { org: '兰州公司' } },
    ])
    // An input is asked for twice at the most: once if it is missing, once if it is unclear.
    expect(unknown.asked).toEqual(Array(2).fill('已命中台区线损报表技能,但缺少供电单位。'))
    expect(readError(unknown.result)).toMatchObject({ code: 'SCENE_NOT_PLANNED' })
    expect(await countRuns()).toBe(before)
  })

  test('a client that cannot ask gets the refusal at once', async () => {
    const { url } = await daemon().listen()
    const client = await connectClient(url)
    const result = await client.callTool({ name: TOOL, arguments: { org: '兰州公司' } })
    expect(readError(result)).toMatchObject({ code: 'RECIPE_INPUT_MISSING' })
  })
})
