// Programs that some test suites need, by the Debian package that contains them.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Browsers for the page tests and for scenes. The first has no window, and takes a third less processor time than the others. */
const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'chrome']

export const SYSTEM_PACKAGES = [
  {
    name: 'adb',
    programs: ['adb'],
    purpose: 'run the device suites against a real adb server',
    suites: ['commands/devices', 'devices/', 'phone/'],
  },
  {
    name: 'chromium-headless-shell',
    programs: BROWSERS,
    purpose: 'open the pages and run scenes in a browser',
    suites: ['pages/', 'scenes/', 'commands/tour.test.ts', 'home/restore.test.ts'],
  },
  {
    name: 'bubblewrap',
    programs: ['bwrap'],
    purpose: 'contain the scripts of skills',
    suites: ['skill-runs/'],
  },
  {
    name: 'unzip',
    programs: ['unzip'],
    purpose: 'read exported bundles with another program',
    suites: ['skill-import/'],
  },
  {
    name: 'poppler-utils',
    programs: ['pdftotext'],
    purpose: 'read PDF documents',
    suites: ['documents/', 'failures/documents'],
  },
  {
    name: 'tesseract-ocr',
    more: ['tesseract-ocr-eng', 'tesseract-ocr-deu'],
    programs: ['tesseract'],
    purpose: 'read text in pictures',
    suites: ['documents/', 'failures/documents'],
  },
  {
    name: 'redis-server',
    programs: ['redis-server'],
    purpose: 'hand executions to device hosts',
    suites: ['device-hosts/', 'devices/', 'commands/devices'],
  },
]

export function missingPackages() {
  return SYSTEM_PACKAGES.filter(({ programs }) => programs.every((one) => !findProgram(one)))
}

/**
 * The packages that these test files need.
 *
 * @param {readonly string[]} testFiles paths under test/
 */
export function neededPackages(testFiles) {
  return SYSTEM_PACKAGES.filter(({ suites }) =>
    testFiles.some((file) => suites.some((prefix) => file.startsWith(prefix))),
  )
}

export function findBrowser() {
  return BROWSERS.map(findProgram).find((path) => path !== undefined)
}

export function findProgram(program) {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
}
