import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPhone } from '@apprentice/phone/phone.ts'
import { expect, onTestFinished } from 'vitest'
import type { LessonResult } from '../../bench/development-set-app.ts'
import { measureVirtualApp } from '../../bench/virtual/virtual-app.ts'

const PACKAGE = 'com.example.small'

/** A lesson of the development set, and the app that it is about. */
export interface SmallApp {
  readonly document: Readonly<Record<string, unknown>>
  readonly lesson: Readonly<Record<string, unknown>>
}

/** Teaches the lesson on a virtual clock and runs its variations. */
export async function measureSmallApp({ document, lesson }: SmallApp): Promise<LessonResult> {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-small-app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const app = { package: PACKAGE, label: 'Small', version: { name: '1', code: 1 }, launch_screen: 'home', ...document }
  const lessons = [{ name: 'lesson', ...lesson }]
  const file = { package: PACKAGE, style: document['toolkit'] ?? 'view', about: 'A small app.', lessons }
  writeFileSync(join(folder, 'small.json'), JSON.stringify(app))
  expect(createPhone({ appsDirs: [folder] }).documentReports).toEqual([])
  writeFileSync(join(folder, 'small.lessons.json'), JSON.stringify(file))
  const [result] = await measureVirtualApp({ set: 'work', name: 'small', path: join(folder, 'small') })
  return result ?? expect.fail('no lesson')
}

/** The variations that did not end as wanted, with the reason. */
export const listFaults = ({ pairs, failure }: LessonResult): string[] => [
  ...(failure === undefined ? [] : [failure]),
  ...pairs.filter(({ verdict }) => verdict !== 'right').map(({ variation, reason }) => `${variation}: ${reason}`),
]
