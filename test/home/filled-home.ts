import { lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { call, connectTools } from '../connectors/call-kit.ts'
import { addDocument, operate } from '../documents/document-kit.ts'
import type { Daemon } from '../kit/daemon.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import { addScene, browserPath, REPORT, runScene, writeScene } from '../scenes/page-scene.ts'
import { openSite, sendPage } from '../scenes/page-site.ts'
import { importAndStage, runStep, upload } from '../skill-import/import-kit.ts'
import { CLIMATE, ok, open, startTeaching, tap, type TeachingSetup } from '../teach/teaching.ts'

/**
 * A daemon that has written every kind of file: evidence, a recording, skills, an import, documents, reports, the vault,
 * projections.
 */
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
  await useConnector(daemon, options?.whenOver)
  await collectReport(daemon, options?.whenOver)
  const { document_ref } = await addDocument(daemon, Buffer.from('%PDF-1.7'))
  await operate(daemon, 'redaction_prep', document_ref, { pattern_set: ['email'] })
  const binding = { source_of_truth: 'mixed', aliases: ['Harbour'] }
  await daemon.request({ method: 'PUT', url: '/api/projects/bindings/P-17', payload: binding })
  await daemon.tokenFor('ann')
  await daemon.waitForProjections()
  return setup
}

/** Leaves a result and a secret in the vault. */
async function useConnector(daemon: Daemon, whenOver?: WhenOver): Promise<void> {
  const { server_id } = await connectTools(daemon, whenOver === undefined ? {} : { whenOver })
  expect((await call(daemon, server_id, 'read_note')).json()).toMatchObject({ status: 'succeeded' })
  const secret = { method: 'PUT', url: '/api/vault/secrets/key-of-a-service', payload: { value: 'a key' } } as const
  expect((await daemon.request(secret)).statusCode).toBe(200)
}

/** Leaves a sign-in to a site and the report of a scene, if there is a browser. */
async function collectReport(daemon: Daemon, whenOver: WhenOver = onTestFinished): Promise<void> {
  const site = await openSite({ '/': sendPage('<p>a report</p>') })
  whenOver(() => site.close())
  const payload = { domain: '127.0.0.1', storage_state: { cookies: [], origins: [] } }
  expect((await daemon.request({ method: 'PUT', url: '/api/scenes/profiles', payload })).statusCode).toBe(200)
  const scene = { id: 'filled-report', site, collect: `return ${REPORT}` }
  // A person writes the package, with any umask but the strange ones that tests give the daemon.
  const mask = process.umask(0o077)
  writeScene(daemon.home, scene)
  process.umask(mask)
  await addScene(daemon, scene)
  if (browserPath === undefined) return
  expect(await runScene(daemon, { scene_id: 'filled-report' })).toMatchObject({ state: 'succeeded' })
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
