// Settings for npm, so that the one native package (better-sqlite3) installs on a machine that reaches only the
// package registry.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** Environment variables to add for `npm ci`. What is configured already is left alone. */
export async function chooseBuildSettings() {
  const settings = {}
  const prefix = dirname(dirname(process.execPath))
  if (!(await isConfigured('nodedir')) && hasMatchingHeaders(prefix)) {
    // node-gyp then compiles against these headers and downloads none.
    settings['npm_config_nodedir'] = prefix
  }
  return settings
}

/** True if the folder holds the headers of the Node that runs this. */
export function hasMatchingHeaders(prefix) {
  try {
    const file = join(prefix, 'include', 'node', 'node_version.h')
    const [, abi] = /#define NODE_MODULE_VERSION (\d+)/.exec(readFileSync(file, 'utf8')) ?? []
    return abi === process.versions.modules
  } catch {
    return false
  }
}

async function isConfigured(name) {
  const variable = `npm_config_${name}`
  if (Object.keys(process.env).some((key) => key.toLowerCase() === variable)) return true
  try {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', name])
    return !['', 'undefined', 'null', 'false'].includes(stdout.trim())
  } catch {
    return false
  }
}
