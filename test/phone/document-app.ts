import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { PhoneOptions } from '@apprentice/phone/phone.ts'
import { launch, manualPhone } from './phone-shell.ts'

export const APP = 'com.example.test'

/** Creates a phone with an additional app and launches it. */
export async function appWith(changes: object, options: PhoneOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'apprentice-apps-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const document = {
    package: APP,
    label: 'Test',
    version: { name: '1', code: 1 },
    launch_screen: 'main',
    ...changes,
  }
  await writeFile(join(folder, 'app.json'), JSON.stringify(document))
  const made = manualPhone({ appsDirs: [folder], ...options })
  expect(made.phone.documentReports).toEqual([])
  await launch(made.phone, APP)
  return made
}

/** The document of an app with one screen. */
export const main = (screen: object): object => ({ screens: { main: screen } })
