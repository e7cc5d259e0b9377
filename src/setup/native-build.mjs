// Settings for npm, so that the one native package (better-sqlite3) installs on a machine that reaches only the
// package registry.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const PREBUILT_HOST = 'github.com'
const PROBE_MS = 2000
const PROXY_VARIABLES = /^(?:https?_proxy|npm_config_(?:https_)?proxy)$/i

/** Environment variables to add for `npm ci`. What is configured already is left alone. */
export async function chooseBuildSettings() {
  const settings = {}
  const prefix = dirname(dirname(process.execPath))
  if (!(await isConfigured('nodedir')) && hasMatchingHeaders(prefix)) {
    // node-gyp then compiles against these headers and downloads none.
    settings['npm_config_nodedir'] = prefix
  }
  if (!(await isConfigured('build_from_source')) && !(await canDownloadPrebuilt())) {
    // The install script would wait up to 30 seconds for the download before it compiles.
    settings['npm_config_build_from_source'] = 'better-sqlite3'
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

/** Behind a proxy a direct connection proves nothing; the install script is left to try. */
function canDownloadPrebuilt() {
  if (Object.keys(process.env).some((key) => PROXY_VARIABLES.test(key))) return true
  return new Promise((resolve) => {
    const socket = connect({ host: PREBUILT_HOST, port: 443 })
    const finish = (reachable) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reachable)
    }
    const timer = setTimeout(() => finish(false), PROBE_MS)
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })
}
