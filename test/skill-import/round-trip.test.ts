import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import type { Daemon } from '../kit/daemon.ts'
import { startDaemon } from '../kit/daemon.ts'
import { open, startTeaching, tap, type TeachingSetup } from '../teach/teaching.ts'
import { isEligible, readAgentSkill } from '../agent-skills/agent-loader.ts'
import { buildManifest, buildBundle } from './zip-builder.ts'
import { listReportCodes, runStep, readOutcome, uploadAndScan, importAndStage } from './import-kit.ts'

const CLIMATE_APP = 'org.apprentice.climate'

async function exportBundle(daemon: Daemon, abilityId: string): Promise<Buffer> {
  const reply = await daemon.get(`/api/abilities/${abilityId}/export`)
  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.headers['content-type']).toBe('application/zip')
  return reply.rawPayload
}

/** The agent's own copy passes the rules of agents and names the ability it runs, and no other. */
function expectRunnableSkill({ home }: Daemon, abilityId: string): void {
  const slug = abilityId.replace(/^\w+\./, '')
  const folder = join(home, 'workspace', 'skills', slug)
  const skill = readAgentSkill(join(folder, 'SKILL.md'))
  expect(skill).toMatchObject({ name: slug, openclaw: { emoji: '📱' } })
  expect(skill.description).toBe("Set a unit's temperature; use it when a person asks for it.")
  expect(isEligible(skill, ['curl'])).toBe(true)
  expect(isEligible(skill, [])).toBe(false)
  expect(skill.body).toMatch(/^\n# Set a unit's temperature\n\n## Run\n/)
  expect(new Set(skill.body.match(/(?:learned|imported)\.[\w-]+/g))).toEqual(new Set([abilityId]))
  expect(skill.body).toMatch(/`apprentice run \S+ unit=\S+.* temperature=[\d.]+`/)
  const manifest = JSON.parse(readFileSync(join(folder, 'capabilities', `${abilityId}.json`), 'utf8')) as object
  expect(manifest).toMatchObject({
    runtime_binding: { binding_kind: 'bridge_tool', target: 'run_ability' },
    verification: [{ kind: 'snapshot_label', target: expect.stringContaining('${inputs.temperature}') as string }],
  })
}

const readTemperature = ({ phone }: TeachingSetup, name: string): number | undefined => {
  const { saved } = phone.state(CLIMATE_APP) as unknown as {
    saved: { units: { name: string; temperature: number }[] }
  }
  return saved.units.find((unit) => unit.name === name)?.temperature
}

test('a learned ability runs where it is imported and exports again as the same bytes', async () => {
  const school = await startTeaching()
  const learned = await school.install(
    await school.demonstrate({
      goal: "Set a unit's temperature",
      show: async ({ act: ctx }) => {
        await ctx(open(CLIMATE_APP), tap('Reception'))
        await ctx(tap({ contentDescEquals: 'Warmer' }), tap({ contentDescEquals: 'Warmer' }))
        await ctx(tap('Save'), tap({ resourceId: 'android:id/button1' }))
      },
    }),
  )
  const bundle = await exportBundle(school.daemon, learned)
  expect((await exportBundle(school.daemon, learned)).equals(bundle)).toBe(true)
  expectRunnableSkill(school.daemon, learned)

  const elsewhere = await startTeaching()
  const found = await uploadAndScan(elsewhere.daemon, bundle)
  expect(found.compatibility_report.compatible, JSON.stringify(listReportCodes(found))).toBe(true)
  const { import_id } = found.import_record
  await runStep(elsewhere.daemon, 'stage', { import_id })
  const { ability_id = '' } = await runStep(elsewhere.daemon, 'install-private', { import_id })
  expect(ability_id).toBe(learned.replace('learned.', 'imported.'))
  expectRunnableSkill(elsewhere.daemon, ability_id)

  expect(readTemperature(elsewhere, 'Kitchen')).not.toBe(23)
  const before = readTemperature(elsewhere, 'Reception')
  const run = await elsewhere.run(ability_id, { unit: 'Kitchen', temperature: 23 })
  expect(run.state).toBe('success')
  expect(readTemperature(elsewhere, 'Kitchen')).toBe(23)
  expect(readTemperature(elsewhere, 'Reception')).toBe(before)

  expect((await exportBundle(elsewhere.daemon, ability_id)).equals(bundle)).toBe(true)
}, 120_000)

test('an imported bundle exports as a zip that unzip accepts and that imports and exports identically', async () => {
  const daemon = await startDaemon()
  const entries = [
    ...buildBundle(),
    { name: 'references/größe und maß.md', content: 'Grüße\n' },
    { name: 'capabilities/other.json', content: JSON.stringify(buildManifest()) },
  ]
  const { import_id } = await importAndStage(daemon, entries)
  const { ability_id = '' } = await runStep(daemon, 'install-private', { import_id })
  const bundle = await exportBundle(daemon, ability_id)
  const folder = mkdtempSync(join(tmpdir(), 'exported-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'bundle.zip'), bundle)
  expect(String(execFileSync('unzip', ['-tqq', join(folder, 'bundle.zip')]))).toBe('')

  const other = await startDaemon()
  const again = await importAndStage(other, bundle)
  const second = await runStep(other, 'install-private', { import_id: again.import_id })
  expect((await exportBundle(other, second.ability_id ?? '')).equals(bundle)).toBe(true)
})

test("another user's private ability cannot be exported", async () => {
  const daemon = await startDaemon()
  const { import_id } = await importAndStage(daemon)
  await runStep(daemon, 'install-private', { import_id })
  const token = await daemon.tokenFor('mallory', 'admin')
  expect(readOutcome(await daemon.get('/api/abilities/imported.tidy-notes/export', token))).toBe('ABILITY_NOT_FOUND')
})
