import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import readXlsxFile from 'read-excel-file/node'
import { beforeAll, afterAll, describe, expect, test } from 'vitest'
import type { SceneRun } from '@apprentice/contracts/scenes/run.ts'
import { shareDaemon } from '../kit/daemon.ts'
import { postRepeatedly } from '../kit/repeated-request.ts'
import { addScene, browserPath, REPORT, runScene, type RunReply, waitForRun } from './page-scene.ts'
import { openSite, sendPage, type Site } from './page-site.ts'

const NOW = '2026-04-15T08:00:00.000Z'
const INSTRUCTION = '兰州公司 2026年3月 台区线损 月累计。。。'
const DAY_MS = 24 * 3_600_000
const daemon = shareDaemon({ now: NOW, settings: { scenes: { samples: true, roots: [], time_zone: 'Asia/Shanghai' } } })
let site: Site
const WAIT = 'await new Promise(() => {})'

beforeAll(async () => {
  site = await openSite({
    '/': sendPage('page'),
    '/private': sendPage('<script>document.title = document.cookie</script>'),
  })
})

afterAll(() => site.close())

const download = (run: SceneRun, format: string) =>
  daemon().get(`/api/scenes/runs/${run.run_id}/report?format=${format}`)
const listEvents = (run: SceneRun): string[] =>
  daemon()
    .events()
    .filter(({ subject }) => subject === `scene-run/${run.run_id}`)
    .map(({ kind, payload }) => (kind === 'scene.run.progressed' ? String(payload['phase']) : kind))

describe.skipIf(browserPath === undefined)('a run of a scene', () => {
  test('an instruction becomes a spreadsheet with the rows of the page', async () => {
    const run = await runScene(daemon(), { instruction: INSTRUCTION })
    expect(run).toMatchObject({
      scene_id: 'tq-lineloss-report',
      state: 'succeeded',
      instruction: INSTRUCTION,
      outcome: { artifact_status: 'ok', contained: [], report: { status: 'ok' } },
      files: [{ format: 'xlsx' }, { format: 'json' }, { format: 'csv' }],
    })
    expect(run.outcome).not.toHaveProperty('problem')
    const reply = await download(run, 'xlsx')
    expect(reply.headers['content-disposition']).toContain(encodeURIComponent('线损'))
    const [sheet] = await readXlsxFile(reply.rawPayload)
    const { code, period } = { code: run.plan.args['org_code'] as string, period: '2026-03' }
    const folder = join(
      import.meta.dirname,
      '../../src/scenes/tq-lineloss-report/stand-in/gsllys/tqLinelossStatis/month',
    )
    const standIn = JSON.parse(readFileSync(join(folder, code, `${period}.json`), 'utf8')) as {
      data: {
        rows: {
          tgNo: string
          tgName: string
          supplyKwh: string
          saleKwh: string
          lossRate: string
          qualified: string
        }[]
      }
    }
    const toNumber = (text: string) => Number(text.replaceAll(/[,%]/g, ''))
    const rows = standIn.data.rows.map((row) => [
      row.tgNo,
      row.tgName,
      toNumber(row.supplyKwh),
      toNumber(row.saleKwh),
      expect.closeTo(toNumber(row.lossRate) / 100, 10),
      row.qualified === '1',
    ])
    expect(rows.length).toBeGreaterThan(2)
    expect(sheet?.data.slice(0, 1)).toEqual([
      ['台区编号', '台区名称', '供电量(kWh)', '售电量(kWh)', '线损率', '是否合格'],
    ])
    expect(sheet?.data.slice(1, -1)).toEqual(rows)
    const sum = (column: number) => rows.reduce((total, row) => total + Number(row[column]), 0)
    const [supply, sale] = [sum(2), sum(3)]
    const isNear = (value: number): unknown => expect.closeTo(value, 4)
    const rate = (supply - sale) / supply
    expect(sheet?.data.at(-1)).toEqual(['合计', null, isNear(supply), isNear(sale), expect.closeTo(rate, 3), null])
    expect(run.outcome?.report?.row_count).toBe(rows.length)
    expect(JSON.parse((await download(run, 'json')).body)).toMatchObject({ type: 'report-artifact' })
    expect((await download(run, 'csv')).body.split('\r\n')).toHaveLength(rows.length + 3)
    expect(listEvents(run)).toEqual([
      'scene.run.queued',
      'scene.run.started',
      'opening_page',
      'checking_page',
      'running_script',
      'exporting',
      'scene.run.settled',
    ])
    // Nothing is left of the result itself.
    expect(readdirSync(join(daemon().home, 'scene-results'))).toEqual([])
  })

  test('the same scene runs with a text per parameter', async () => {
    const inputs = { org: '兰州公司', period: '2026年3月' }
    const run = await runScene(daemon(), { scene_id: 'tq-lineloss-report', inputs })
    expect(run).toMatchObject({ state: 'succeeded' })
    expect(run).not.toHaveProperty('instruction')
  })

  test('what is not in the instruction is asked in the words of the scene, and nothing runs', async () => {
    const before = (await daemon().get('/api/scenes/runs')).json<{ total: number }>().total
    const reply = await daemon().post('/api/scenes/runs', { instruction: '台区线损 月累计 2026年3月。。。' })
    expect(reply.statusCode).toBe(422)
    expect(reply.json()).toMatchObject({
      error: {
        code: 'SCENE_NOT_PLANNED',
        message: '已命中台区线损报表技能,但缺少供电单位。',
        details: { dispatch: { outcome: 'missing_params', params: [{ name: 'org' }] } },
      },
    })
    for (const body of [{}, { instruction: INSTRUCTION, scene_id: 'tq-lineloss-report' }]) {
      expect((await daemon().post('/api/scenes/runs', body)).json()).toMatchObject({
        error: { code: 'INVALID_REQUEST' },
      })
    }
    const unknown = { scene_id: 'tq-lineloss-report', inputs: { nothing: 'x' } }
    expect((await daemon().post('/api/scenes/runs', unknown)).json()).toMatchObject({
      error: { code: 'INVALID_REQUEST', details: { field: 'inputs.nothing' } },
    })
    expect((await daemon().get('/api/scenes/runs')).json<{ total: number }>().total).toBe(before)
  })

  test('a run of a live page succeeds, and its formula text stays text', async () => {
    await addScene(daemon(), { id: 'live', site, collect: `return ${REPORT}` })
    const run = await runScene(daemon(), { scene_id: 'live' })
    expect(run).toMatchObject({ state: 'succeeded', outcome: { report: { title: 'A report', row_count: 1 } } })
    const [sheet] = await readXlsxFile((await download(run, 'xlsx')).rawPayload)
    expect(sheet?.data).toEqual([['A'], ['=1+1']])
    expect((await download(run, 'csv')).body).toBe("\uFEFFA\r\n'=1+1\r\n")
  })

  test.each([
    ['wrong-shape', 'SCENE_ARTIFACT_INVALID', 'error', `return { ...${REPORT}, columns: 5 }`],
    ['other-status', 'SCENE_ARTIFACT_INVALID', 'error', `return { ...${REPORT}, status: 'unheard' }`],
    [
      'says-blocked',
      'SCENE_REPORTED_FAILURE',
      'blocked',
      `return { ...${REPORT}, status: 'blocked', warnings: ['sign in'] }`,
    ],
    ['too-long', 'SCENE_RESULT_TOO_LARGE', 'error', 'return { rows: "x".repeat(17 << 20) }'],
    ['elsewhere', 'SCENE_NAVIGATED_AWAY', 'blocked', `location.href = 'http://192.0.2.1/'; ${WAIT}`],
  ])('%s ends with %s and the status %s', async (id, code, artifact_status, collect) => {
    await addScene(daemon(), { id, site, collect })
    const run = await runScene(daemon(), { scene_id: id })
    expect(run).toMatchObject({ state: 'failed', outcome: { artifact_status, problem: { code } }, files: [] })
    expect((await download(run, 'xlsx')).json()).toMatchObject({ error: { code: 'SCENE_REPORT_NOT_FOUND' } })
    expect(readdirSync(join(daemon().home, 'scene-results'))).toEqual([])
  })

  test('a script that never stops is ended, and the next run succeeds', async () => {
    await addScene(daemon(), { id: 'endless', site, collect: 'for (;;) {}' })
    const run = await runScene(daemon(), { scene_id: 'endless', timeout_ms: 1500 })
    expect(run).toMatchObject({ state: 'failed', outcome: { problem: { code: 'SCENE_TIMED_OUT' } } })
    expect(await runScene(daemon(), { scene_id: 'live' })).toMatchObject({ state: 'succeeded' })
  })

  test('runs of a domain are serial, and a queued or running one can be cancelled', async () => {
    await addScene(daemon(), { id: 'waiting', site, collect: WAIT })
    const start = async () => (await daemon().post('/api/scenes/runs', { scene_id: 'waiting' })).json<RunReply>().run
    const first = await start()
    const second = await start()
    await waitForRun(daemon(), first.run_id, ({ phase }) => phase === 'running_script')
    expect((await daemon().get(`/api/scenes/runs/${second.run_id}`)).json<RunReply>().run.state).toBe('queued')
    for (const { run_id } of [second, first]) {
      const reply = await postRepeatedly(daemon(), `/api/scenes/runs/${run_id}/cancel`)
      expect(reply.json()).toMatchObject({
        run: { state: 'cancelled', outcome: { problem: { code: 'SCENE_RUN_CANCELLED' } } },
      })
    }
    expect((await daemon().post(`/api/scenes/runs/${first.run_id}/cancel`)).json()).toMatchObject({
      error: { code: 'SCENE_RUN_SETTLED' },
    })
    expect(listEvents(second)).toEqual(['scene.run.queued', 'scene.run.settled'])
  })

  test('a script that changed after the run was planned is not run', async () => {
    await addScene(daemon(), { id: 'changing', site, collect: `await fetch('/changed'); return ${REPORT}` })
    await addScene(daemon(), { id: 'first-in-line', site, collect: WAIT })
    const blocker = (await daemon().post('/api/scenes/runs', { scene_id: 'first-in-line' })).json<RunReply>().run
    const planned = (await daemon().post('/api/scenes/runs', { scene_id: 'changing' })).json<RunReply>().run
    const script = join(daemon().home, 'skills/changing/scripts/collect.js')
    writeFileSync(script, `${readFileSync(script, 'utf8')}// changed\n`)
    await daemon().post(`/api/scenes/runs/${blocker.run_id}/cancel`)
    const run = await waitForRun(daemon(), planned.run_id, ({ settled_at }) => settled_at !== undefined)
    expect(run).toMatchObject({ state: 'failed', outcome: { problem: { code: 'SCENE_PACKAGE_CHANGED' } } })
    expect(site.requested).not.toContain('/changed')
  })

  test('runs and reports are those of their owner', async () => {
    const run = await runScene(daemon(), { scene_id: 'live' })
    const other = await daemon().tokenFor('someone-else')
    for (const path of ['', '/report', '/events']) {
      expect((await daemon().get(`/api/scenes/runs/${run.run_id}${path}`, other)).statusCode).toBe(404)
    }
    expect((await daemon().post(`/api/scenes/runs/${run.run_id}/cancel`, {}, other)).statusCode).toBe(404)
    expect((await daemon().get('/api/scenes/runs', other)).json()).toMatchObject({ runs: [], total: 0 })
    const listed = (await daemon().get('/api/scenes/runs?scene_id=live&state=succeeded')).json<{ runs: SceneRun[] }>()
    expect(listed.runs.map(({ run_id }) => run_id)).toContain(run.run_id)
    expect(listed.runs.every(({ scene_id }) => scene_id === 'live')).toBe(true)
  })

  test('a sign-in is used by the runs of its domain and never returned', async () => {
    const cookie = {
      name: 'session',
      value: 'very-secret-cookie',
      domain: '127.0.0.1',
      path: '/',
      expires: -1,
      httpOnly: false,
      secure: false,
      sameSite: 'Lax',
    }
    const storage_state = { cookies: [cookie], origins: [] }
    const body = { domain: '127.0.0.1', storage_state }
    const stored = await daemon().request({
      method: 'PUT',
      url: '/api/scenes/profiles',
      payload: { ...body, client_request_id: 'p1' },
    })
    expect(stored.json()).toMatchObject({ profile: { domain: '127.0.0.1', name: 'default', cookies: 1 } })
    await addScene(daemon(), {
      id: 'private',
      site,
      path: '/private',
      collect: `return { ...${REPORT}, title: document.cookie.startsWith('session=very') ? 'signed in' : 'not' }`,
    })
    const run = await runScene(daemon(), { scene_id: 'private' })
    expect(run).toMatchObject({ profile: 'default', outcome: { report: { title: 'signed in' } } })
    const listed = await daemon().get('/api/scenes/profiles')
    expect(listed.json()).toMatchObject({
      profiles: [{ domain: '127.0.0.1', last_used_at: expect.any(String) as string }],
    })
    const other = await daemon().tokenFor('someone-else')
    expect((await daemon().get('/api/scenes/profiles', other)).json()).toMatchObject({ profiles: [] })
    const { profile_id } = stored.json<{ profile: { profile_id: string } }>().profile
    expect((await daemon().delete(`/api/scenes/profiles/${profile_id}`, other)).statusCode).toBe(404)
    expect((await runScene(daemon(), { scene_id: 'private', timeout_ms: 20_000 })).profile).toBe('default')
    expect((await daemon().delete(`/api/scenes/profiles/${profile_id}`)).statusCode).toBe(200)
    expect((await daemon().post('/api/scenes/runs', { scene_id: 'private', profile: 'default' })).json()).toMatchObject(
      {
        error: { code: 'SCENE_PROFILE_NOT_FOUND' },
      },
    )
    expect(await runScene(daemon(), { scene_id: 'private' })).toMatchObject({ outcome: { report: { title: 'not' } } })
    expect(stored.body + listed.body + JSON.stringify(daemon().events())).not.toContain('very-secret')
    expect(readHome(daemon().home).includes('very-secret')).toBe(false)
  })

  test('a report is deleted after seven days, with its file', async () => {
    const run = await runScene(daemon(), { scene_id: 'live' })
    const file = join(daemon().home, 'reports', run.files[0]?.sha256.slice(0, 2) ?? '', run.files[0]?.sha256 ?? '')
    expect(existsSync(file)).toBe(true)
    daemon().clock.advance(7 * DAY_MS - 60_000)
    await daemon().system.sweeper.sweepNow()
    expect((await download(run, 'xlsx')).statusCode).toBe(200)
    // The clock of the files is the real one.
    const stored = new Date(Date.now() - 7 * DAY_MS)
    utimesSync(file, stored, stored)
    daemon().clock.advance(120_000)
    expect((await daemon().system.sweeper.sweepNow())['scene_reports']).toBeGreaterThan(0)
    expect((await download(run, 'xlsx')).json()).toMatchObject({ error: { code: 'SCENE_REPORT_NOT_FOUND' } })
    await expect.poll(() => existsSync(file)).toBe(false)
    const kept = (await daemon().get(`/api/scenes/runs/${run.run_id}`)).json<RunReply>().run
    expect(kept).toMatchObject({ state: 'succeeded', files: [], outcome: { report: { row_count: 1 }, console: [] } })
  })
})

/** Everything that the home has, but the keys. */
function readHome(home: string): string {
  return readdirSync(home, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}
