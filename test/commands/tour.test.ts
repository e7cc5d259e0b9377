import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLoginCode } from '@apprentice/contracts/admin/tokens.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import { browserPath, openBrowser } from '../pages/browser.ts'
import { tapOn } from '../pages/live-phone.ts'
import { type CommandRig, startCommandRig } from './command-rig.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The numbered steps of the tour, each as one line. */
const steps = (/## A two-minute tour\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '')
  .split(/\n(?=\d+\. )/)
  .map((step) => step.replaceAll(/\s+/g, ' ').trim())
  .filter((step) => /^\d+\. /.test(step))

const readBold = (step: string): string[] => [...step.matchAll(/\*\*(.+?)\*\*/g)].map((match) => match[1] ?? '')
const readCode = (step: string): string[] => [...step.matchAll(/`(.+?)`/g)].map((match) => match[1] ?? '')

describe.skipIf(browserPath === undefined)('the tour of the README', () => {
  const ends: Parameters<WhenOver>[0][] = []
  let rig: CommandRig

  beforeAll(async () => {
    rig = await startCommandRig((end) => ends.push(end), { ownProcess: true })
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })

  test('works as it is written', async () => {
    expect(steps).toHaveLength(6)
    const [open = '', teach = '', demonstrate = '', stop = '', accept = '', run = ''] = steps

    expect(readCode(open)).toEqual(['npm start'])
    const page = await openPage(rig)
    for (const link of readBold(open)) await page.getByRole('link', { name: link }).click()
    await page.getByRole('img', { name: /^Screen of / }).waitFor()

    const [command = ''] = readCode(teach)
    expect(command.startsWith('npx apprentice ')).toBe(true)
    const terminal = rig.interact(...splitCommand(command).slice(2))
    await terminal.waitFor('Commands:')

    for (const label of readBold(demonstrate)) {
      await tapOn(page, rig.phone, label)
      await terminal.waitFor(`Tap ${label}`)
    }
    terminal.writeLines(...readCode(stop))
    const review = await terminal.waitFor('rehearse [')
    expect(review).toContain('unit, string')
    expect(review).toContain('temperature, number')

    const [first = '', second = ''] = readCode(accept)
    terminal.writeLines(first)
    await terminal.waitFor('Install it')
    terminal.writeLines(second)
    await terminal.waitFor('Installed as ')

    const before = rig.readUnits().find(({ name }) => name === 'Kitchen')?.temperature
    expect(before).not.toBe(23)
    terminal.writeLines(...readCode(run))
    await terminal.waitFor('23.0 °C')
    expect((await terminal.end()).code).toBe(0)
    expect(rig.readUnits().find(({ name }) => name === 'Kitchen')?.temperature).toBe(23)
  })
})

test('every path named in the README and in CONTRIBUTING exists', () => {
  const texts = [readme, readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')]
  const named = texts.flatMap((text) => [
    ...text.matchAll(/[`(]((?:src|contracts|test|openapi|memory-store|migrations)\/[\w./-]*)[`)]/g),
  ])
  const missing = named.map((match) => match[1] ?? '').filter((path) => !existsSync(join(ROOT, path)))
  expect(named.length).toBeGreaterThan(20)
  expect(missing).toEqual([])
})

/** The dashboard, opened with a one-time link as `npm start` prints it. */
async function openPage({ call, url }: CommandRig): Promise<Page> {
  const { code } = await call(createLoginCode)
  const page = await (await openBrowser()).newPage()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(`${url}/login?code=${code}`)
  return page
}

/** Splits a command line into words; double quotes group. */
function splitCommand(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '')
}
