import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { evaluate, isTrue } from '@apprentice/phone/documents/evaluation.ts'
import { parseExpression } from '@apprentice/phone/documents/expression.ts'
import { createManualClock, createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { copyApp } from './app-files.ts'
import { type Lesson, LessonsFile } from './lesson-format.ts'
import { findCenter, findNode, performStep, waitForStep } from './perform-step.ts'
import { findOtherChanges } from './saved-keys.ts'

export interface AppCheck {
  readonly faults: string[]
  readonly lessons: number
  readonly variations: number
}

/** Validates `<path>.json` and `<path>.lessons.json` and performs every demonstration on a simulated phone. */
export async function checkApp(path: string): Promise<AppCheck> {
  const faults: string[] = []
  const [documentFile, lessonsFile] = [`${path}.json`, `${path}.lessons.json`]
  for (const file of [documentFile, lessonsFile]) {
    if (!existsSync(file)) return { faults: [`${file} does not exist`], lessons: 0, variations: 0 }
  }
  const read = LessonsFile.safeParse(JSON.parse(readFileSync(lessonsFile, 'utf8')))
  if (!read.success) {
    const problems = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    return { faults: problems, lessons: 0, variations: 0 }
  }
  const { toolkit = read.data.style } = JSON.parse(readFileSync(documentFile, 'utf8')) as { toolkit?: string }
  if (toolkit !== read.data.style) faults.push(`style is ${read.data.style}, toolkit of the document is ${toolkit}`)
  const app = { packageName: read.data.package, label: readLabel(documentFile) }
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-app-'))
  copyApp(documentFile, folder)
  try {
    for (const lesson of read.data.lessons) {
      const problems = await checkLesson(folder, app, lesson)
      faults.push(...problems.map((problem) => `${lesson.name}: ${problem}`))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const variations = read.data.lessons.reduce((sum, lesson) => sum + lesson.variations.length, 0)
  return { faults, lessons: read.data.lessons.length, variations }
}

async function checkLesson(
  folder: string,
  { packageName, label }: { packageName: string; label: string },
  lesson: Lesson,
): Promise<string[]> {
  const clock = createManualClock(Date.parse('2026-03-02T09:30:00.000Z'))
  const phone = createPhone({ appsDirs: [folder], clock })
  if (phone.documentReports.length > 0) {
    return phone.documentReports.map(({ path, reason }) => `document ${path}: ${reason}`)
  }
  const faults = checkVariations(phone, packageName, lesson)
  phone.setState(packageName, { saved: lesson.prepare })
  if (holds(phone, packageName, lesson.end)) faults.push('end is true before the demonstration')
  const { saved: before } = phone.state(packageName)
  try {
    await openApp(phone, packageName, label)
    const pass = (ms: number) => clock.advance(ms)
    for (const step of lesson.demonstration) {
      await waitForStep(phone, step, pass)
      await performStep(phone, step, pass)
      clock.advance(300)
    }
  } catch (error) {
    return [...faults, error instanceof Error ? error.message : String(error)]
  }
  clock.advance(3000)
  if (!holds(phone, packageName, lesson.end)) faults.push('end is not true after the demonstration')
  const changes = findOtherChanges(lesson.end, before, phone.state(packageName).saved)
  faults.push(...changes.map((key) => `the demonstration changes saved.${key}, end does not mention it`))
  return [...faults, ...checkPointedAt(phone, lesson)]
}

const readWords = ({ text, description }: { text: string; description: string }): string => `${text}\n${description}`

/** What a person points at after the demonstration must be on the screen and display the demonstrated value. */
function checkPointedAt(phone: Phone, { outputs, proof }: Lesson): string[] {
  const explain = (name: string, check: () => string[]): string[] => {
    try {
      return check()
    } catch (error) {
      return [`${name}: ${error instanceof Error ? error.message : String(error)}`]
    }
  }
  const problems = outputs.flatMap(({ key, element, demonstrated }) =>
    explain(`output ${key}`, () => {
      const shown = readWords(findNode(phone, element))
      const hidden = Array.isArray(demonstrated)
        ? demonstrated.filter((word) => !phone.screenNodes().some((node) => readWords(node).includes(word)))
        : shown.includes(String(demonstrated)) || typeof demonstrated === 'boolean'
          ? []
          : [String(demonstrated)]
      return hidden.map((word) => `output ${key}: ${JSON.stringify(word)} is not displayed`)
    }),
  )
  if (proof === undefined) return problems
  return [
    ...problems,
    ...explain('proof', () => {
      findNode(phone, proof)
      return []
    }),
  ]
}

/** Checks what can be checked without a run: the expressions, the inputs, and the state before the run. */
function checkVariations(phone: Phone, packageName: string, lesson: Lesson): string[] {
  const listUnknown = (given: object, declared: readonly { readonly key: string }[]): string[] =>
    Object.keys(given).filter((key) => !declared.some((entry) => entry.key === key))
  return lesson.variations.flatMap(({ name, kind, inputs, outputs = {}, end, prepare }) => {
    const problems = [
      ...listUnknown(inputs, lesson.inputs).map((key) => `${name}: input ${key} is not declared`),
      ...listUnknown(outputs, lesson.outputs).map((key) => `${name}: output ${key} is not declared`),
    ]
    phone.resetApp(packageName)
    phone.setState(packageName, { saved: prepare ?? lesson.prepare })
    const before = holds(phone, packageName, end)
    if (['same', 'other_value', 'other_entry'].includes(kind) && before) {
      problems.push(`${name}: end is true before the run`)
    }
    if (kind === 'already_done' && !before) problems.push(`${name}: end is false before the run`)
    phone.resetApp(packageName)
    return problems
  })
}

/** Whether the expression over `saved` is true on the phone. */
export function holds(phone: Phone, packageName: string, expression: string): boolean {
  const { saved } = phone.state(packageName)
  const scope = { names: { saved }, translate: (key: string) => key }
  return isTrue(evaluate(parseExpression(expression), scope))
}

/** The label of an app document, in its default locale. */
export function readLabel(file: string): string {
  const {
    label,
    strings = {},
    default_locale = 'en',
  } = JSON.parse(readFileSync(file, 'utf8')) as {
    label: string
    strings?: Record<string, Record<string, string>>
    default_locale?: string
  }
  return label.startsWith('@') ? (strings[default_locale]?.[label.slice(1)] ?? label) : label
}

/** Touches the icon of the app in the launcher. */
async function openApp(phone: Phone, packageName: string, label: string): Promise<void> {
  const [x, y] = findCenter(phone, { description: label })
  await phone.person.touch(x, y)
  if (phone.foreground()?.packageName !== packageName) throw new Error('the app did not open')
}
