import { expect, test } from 'vitest'
import { eventually } from '../devices/driver/outcomes.ts'
import { startDaemon } from '../kit/daemon.ts'
import { addNote, installRecipes, startRun } from './run-kit.ts'

const { inputs, verification, ...recipe } = addNote
const title = inputs.filter(({ name }) => name === 'title')
const open = { id: 'open', type: 'click' as const, selector: { text_equals: '${inputs.title}' } }
const press = { id: 'press', type: 'click' as const, selector: { resource_id: 'org.apprentice.notes:id/gone' } }
const shown = [{ id: 'shown', selector: { text_equals: '${inputs.title}' }, text_equals: '${inputs.title}' }]
const base = { ...recipe, inputs: title, verification: shown, checkpoints: [] }

const SLUGS = ['named-row', 'no-app', 'gone-control'] as const

test('only runs that fail by the fault of their ability count against its health', async () => {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  await eventually(
    async () => (await daemon.get('/api/devices')).json<{ devices: { state: string }[] }>().devices,
    (devices) => devices[0]?.state === 'device',
  )
  await installRecipes(daemon, {
    'named-row': { ...base, steps: [open] },
    'no-app': { ...base, application_id: 'org.example.missing', steps: [open] },
    'gone-control': { ...base, steps: [press] },
  })
  const countFailures = (slug: string): number =>
    daemon.system.store.read(({ db }) =>
      Number(
        db.prepare('SELECT count(*) FROM capability_failures WHERE capability_id = ?').pluck().get(`learned.${slug}`),
      ),
    )
  const before = Object.fromEntries(SLUGS.map((slug) => [slug, countFailures(slug)]))
  const countNew = (slug: string) => countFailures(slug) - (before[slug] ?? 0)
  const codes: Record<string, (string | undefined)[]> = {}
  for (const slug of SLUGS) {
    for (let n = 0; n < 3; n += 1) {
      const { run } = await startRun(daemon, slug, { inputs: { title: `Nobody wrote this ${n}` } })
      codes[slug] = [...(codes[slug] ?? []), run.trouble?.code]
    }
  }
  expect(codes).toEqual({
    'named-row': Array(3).fill('NODE_NOT_FOUND'),
    'no-app': Array(3).fill('APP_NOT_FOUND'),
    'gone-control': Array(3).fill('NODE_NOT_FOUND'),
  })
  expect(SLUGS.map(countNew)).toEqual([0, 0, 3])
  const wrong = await daemon.post('/api/abilities/learned.gone-control/run', { inputs: {} })
  expect(wrong.json()).toMatchObject({ error: { code: 'RECIPE_INPUT_MISSING' } })
  expect(countNew('gone-control')).toBe(3)
})
