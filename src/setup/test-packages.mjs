// Installs the system packages that the chosen test suites need and that are missing.
import { existsSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { ROOT, runCommand, say } from './run-command.mjs'
import { missingPackages, neededPackages } from './system-packages.mjs'

/** @param {readonly string[]} vitestArguments */
export async function installTestPackages(vitestArguments) {
  const missing = missingPackages()
  if (missing.length === 0) return
  const needed = neededPackages(chooseTestFiles(listTestFiles(), vitestArguments))
  const packages = needed.filter(({ name }) => missing.some((one) => one.name === name))
  if (packages.length === 0) return
  for (const one of packages) say(`${one.name} is missing. It is needed to ${one.purpose}.`)
  const names = packages.flatMap(({ name, more = [] }) => [name, ...more])
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) {
    say(`Install ${names.join(', ')} to run the suites that need it; they are skipped now.`)
    return
  }
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  say(`Installing with apt-get: ${names.join(', ')}.`)
  await runCommand('Updating package lists', 'apt-get', { args: ['update', '-qq'], env })
  await runCommand('Installing system packages', 'apt-get', {
    args: ['install', '-y', '-qq', '--no-install-recommends', ...names],
    env,
  })
}

/**
 * Arguments that occur in the path of a test file are filters, as vitest reads them; the others are options.
 *
 * @param {readonly string[]} testFiles
 * @param {readonly string[]} vitestArguments
 */
export function chooseTestFiles(testFiles, vitestArguments) {
  const filters = vitestArguments
    .filter((argument) => !argument.startsWith('-'))
    .map((argument) => argument.replace(/^(?:\.\/)?test\//, ''))
    .filter((filter) => filter !== '' && testFiles.some((file) => file.includes(filter)))
  if (filters.length === 0) return testFiles
  return testFiles.filter((file) => filters.some((filter) => file.includes(filter)))
}

export function listTestFiles() {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => file.endsWith('.test.ts'))
}
