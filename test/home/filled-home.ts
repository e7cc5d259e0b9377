import { lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { register } from '../connectors/connector-kit.ts'
import { addDocument, operate } from '../documents/document-kit.ts'
import { importAndStage, runStep, upload } from '../skill-import/import-kit.ts'
import { CLIMATE, ok, open, startTeaching, tap, type TeachingSetup } from '../teach/teaching.ts'

/** A daemon that has written every kind of file: evidence, a recording, skills, an import, projections. */
export async function startFilledDaemon(options: Parameters<typeof startTeaching>[0] = {}): Promise<TeachingSetup> {
  const setup = await startTeaching(options)
  const { daemon, phone } = setup
  const recordings = `/api/devices/${phone.serial}/recordings`
  const { recording } = await ok<{ recording: { recording_id: string } }>(daemon, recordings, {})
  const ability = await setup.install(
    await setup.demonstrate({
      goal: "Set a unit's temperature",
      show: ({ act }) =>
        act(open(CLIMATE), tap('Reception'), tap({ contentDescEquals: 'Warmer' }), tap('Save'), tap('Save')),
    }),
  )
  await ok(daemon, `${recordings}/${recording.recording_id}/stop`)
  await setup.run(ability, { unit: 'Kitchen', temperature: 23 }).catch(() => undefined)
  const { import_id } = await importAndStage(daemon)
  await runStep(daemon, 'install-private', { import_id })
  await upload(daemon)
  await ok(daemon, '/api/skills', { skill_id: 'com.example.app.do-it' })
  await ok(daemon, '/api/categories', { title: 'Work' })
  await register(daemon)
  const { document_ref } = await addDocument(daemon, Buffer.from('%PDF-1.7'))
  await operate(daemon, 'redaction_prep', document_ref, { pattern_set: ['email'] })
  const binding = { source_of_truth: 'mixed', aliases: ['Harbour'] }
  await daemon.request({ method: 'PUT', url: '/api/projects/bindings/P-17', payload: binding })
  await daemon.tokenFor('ann')
  await daemon.waitForProjections()
  return setup
}

/** Every file and folder of a home by its path, with its mode. Links are not followed. */
export function listModes(home: string): Map<string, number> {
  const modes = new Map([['.', lstatSync(home).mode & 0o777]])
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    modes.set(`${relative(home, path)}${entry.isDirectory() ? '/' : ''}`, lstatSync(path).mode & 0o777)
  }
  return modes
}
