import type { Command } from 'commander'
import { type Config, ConfigProblem, readConfig } from '../../config/config.ts'
import { checkAgentSkills } from './agent-skills.ts'
import type { Check } from './check.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { checkHome, checkLock, checkNode, checkPrograms } from './doctor-checks.ts'
import { checkDatabase } from './doctor-database.ts'

const marks = { pass: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('look for what would keep the daemon from working; exit code 1 if something does')
    .option('--json', 'print JSON for programs')
    .action(async ({ json }: { json?: boolean }) => {
      const checks = await examine()
      const ok = checks.every(({ status }) => status !== 'fail')
      process.stdout.write(
        json === true ? `${JSON.stringify({ ok, checks }, null, 2)}\n` : readable(checks),
      )
      process.exitCode = ok ? exitCodes.ok : exitCodes.problem
    })
}

async function examine(): Promise<Check[]> {
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error
    return [checkNode(), { id: 'config', status: 'fail', summary: error.message }]
  }
  return [
    checkNode(),
    { id: 'config', status: 'pass', summary: 'the environment and settings.json make sense' },
    checkHome(config.home),
    checkLock(config.home),
    ...(await checkDatabase(config.home)),
    ...checkPrograms(),
    await checkAgentSkills(config.home),
  ]
}

function readable(checks: readonly Check[]): string {
  const lines = checks.flatMap(({ id, status, summary, fix }) => [
    `${marks[status]}  ${id.padEnd(22)} ${summary}`,
    ...(fix === undefined ? [] : [`      ${' '.repeat(22)} -> ${fix}`]),
  ])
  const failed = checks.filter(({ status }) => status === 'fail').length
  const end =
    failed === 0 ? 'Nothing stands in the way.' : `${failed} of ${checks.length} checks failed.`
  return `${lines.join('\n')}\n\n${end}\n`
}
