import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'

/** Passes all arguments to run.js. */
export const SHELL_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
exec node "$(cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd)/run.js" "$@"
`

/** A script that restarts the app and takes a snapshot. It exits with the code of the command it runs. */
export function formatRunScript({ id, applicationId, path }: SkillEntry): string {
  return `#!/usr/bin/env node
'use strict'
// Modules are loaded dynamically, so that the script runs whatever module type a package.json above it declares.
const { env } = process
const load = (name) => import(name)

const SKILL_ID = ${JSON.stringify(id)}
const APPLICATION_ID = ${JSON.stringify(applicationId)}

const [deviceId, operatorPackage] = process.argv.slice(2)
if (!deviceId) {
  process.stderr.write('Usage: node ${path}/scripts/run.js <device_id> [operator_package]\\n')
  process.exit(1)
}

const execution = {
  commandId: \`\${SKILL_ID}-\${Date.now()}\`,
  taskId: SKILL_ID,
  source: SKILL_ID,
  expectedFormat: 'android-ui-automator',
  timeoutMs: 30000,
  actions: [
    { id: 'close', type: 'close_app', params: { applicationId: APPLICATION_ID } },
    { id: 'wait_close', type: 'sleep', params: { durationMs: 1500 } },
    { id: 'open', type: 'open_app', params: { applicationId: APPLICATION_ID } },
    { id: 'wait_open', type: 'sleep', params: { durationMs: 3000 } },
    { id: 'snap', type: 'snapshot_ui' },
  ],
}

${RUN_EXECUTION}`
}

/** The part of the script that runs the execution. */
const RUN_EXECUTION = `run()

async function run() {
  const { spawnSync } = await load('node:child_process')
  const { existsSync } = await load('node:fs')
  const [program, ...first] = commandLine(existsSync)
  const ran = spawnSync(
    program,
    [
      ...first,
      'exec',
      '--execution',
      JSON.stringify(execution),
      '--device',
      deviceId,
      '--operator-package',
      operatorPackage || env.CLAWPERATOR_OPERATOR_PACKAGE || 'com.clawperator.operator',
    ],
    { encoding: 'utf8', timeout: 120000, maxBuffer: 64 * 1024 * 1024 },
  )
  process.stdout.write(ran.stdout || '')
  process.stderr.write(ran.stderr || '')
  if (ran.error) process.stderr.write(\`\${ran.error.message}\\n\`)
  process.exitCode = ran.status === null || ran.status === undefined ? 1 : ran.status
}

/** The program that runs executions: a path, a .js file, or a command line with quotes. */
function commandLine(exists) {
  const named = env.CLAWPERATOR_BIN || env.CLAWPERATOR_CLI_PATH
  if (named) return exists(named) ? started(named) : started(...words(named))
  const local = \`\${process.cwd()}/apps/node/dist/cli/index.js\`
  return exists(local) ? started(local) : ['clawperator']
}

function started(file, ...rest) {
  return file.endsWith('.js') ? [process.execPath, file, ...rest] : [file, ...rest]
}

function words(text) {
  const found = text.match(/"[^"]*"|'[^']*'|\\S+/g) || []
  return found.map((word) => word.replace(/^(["'])(.*)\\1$/, '$2'))
}
`
