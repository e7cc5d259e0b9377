import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { neededPackages } from '../../src/setup/system-packages.mjs'
import { chooseTestFiles } from '../../src/setup/test-packages.mjs'

const TEST_FOLDER = join(import.meta.dirname, '..')
const testFiles = readdirSync(TEST_FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.test.ts'),
)
const listNeeded = (...vitestArguments: readonly string[]) =>
  neededPackages(chooseTestFiles(testFiles, vitestArguments)).map(({ name }) => name)

test('the whole suite needs every package, and a chosen suite only its own', () => {
  const all = [
    'adb',
    'chromium-headless-shell',
    'bubblewrap',
    'unzip',
    'poppler-utils',
    'tesseract-ocr',
    'redis-server',
  ]
  expect(listNeeded()).toEqual(all)
  expect(listNeeded('--no-skips')).toEqual(all)
  expect(listNeeded('documents/tables')).toEqual(['poppler-utils', 'tesseract-ocr'])
  expect(listNeeded('test/pages/review.test.ts')).toEqual(['chromium-headless-shell'])
  expect(listNeeded('pages')).toEqual(['chromium-headless-shell'])
  expect(listNeeded('devices/executions', '-t', 'no such file')).toEqual(['adb', 'redis-server'])
  expect(listNeeded('setup/failure-message')).toEqual([])
})

test('every suite that uses a browser or unzip is listed with its package', () => {
  const listUsers = (pattern: RegExp) =>
    testFiles.filter((file) => pattern.test(readFileSync(join(TEST_FOLDER, file), 'utf8')))
  const isListed = (file: string, name: string) => neededPackages([file]).some((needed) => needed.name === name)
  const browserSuites = listUsers(/browserPath/).filter((file) => !file.startsWith('setup/'))
  expect(browserSuites.length).toBeGreaterThan(0)
  expect(browserSuites.filter((file) => !isListed(file, 'chromium-headless-shell'))).toEqual([])
  const unzipSuites = listUsers(/execFileSync\('unzip'/).filter((file) => !file.startsWith('setup/'))
  expect(unzipSuites.length).toBeGreaterThan(0)
  expect(unzipSuites.filter((file) => !isListed(file, 'unzip'))).toEqual([])
})
