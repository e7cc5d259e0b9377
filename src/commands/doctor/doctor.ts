import type { Command } from 'commander'
import { type Config, readConfig } from '../../config/config.ts'
import { checkAgentSkills } from './agent-skills.ts'
import type { Check } from './check.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import { styleState, styleText } from '../terminal/styles.ts'
import {
  checkContainment,
  checkHome,
  checkLock,
  checkNode,
  checkPictures,
  checkPort,
  checkPrograms,
} from './doctor-checks.ts'
import { checkDatabase } from './doctor-database.ts'
import { checkDevice } from './doctor-device.ts'
import { checkRedis } from './doctor-redis.ts'
import { checkSceneBrowser, checkScenes } from './doctor-scenes.ts'

const MARKS = { pass: 'ok  ', warn: 'warn', fail: 'FAIL' } as const

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .summary('check the installation')
    .description('Checks the installation. The exit code is 1 if a check fails.')
    .option('--json', 'print JSON')
    .option('--device [serial]', 'also read the screen of a phone through the running daemon')
    .action(async ({ json, device }: { json?: boolean; device?: string | true }) => {
      const checks = [...(await runChecks()), ...(device === undefined ? [] : await checkDevice(device))]
      const ok = checks.every(({ status }) => status !== 'fail')
      process.stdout.write(json === true ? `${JSON.stringify({ ok, checks }, null, 2)}\n` : formatChecks(checks))
      process.exitCode = ok ? EXIT_CODES.ok : EXIT_CODES.failure
    })
}

async function runChecks(): Promise<Check[]> {
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    return [checkNode(), { id: 'config', status: 'fail', summary: (error as Error).message }]
  }
  const { home } = config
  return [
    checkNode(),
    { id: 'config', status: 'pass', summary: 'the environment and settings.json are valid' },
    ...(await guard('home', () => checkHome(home))),
    ...(await guard('lock', () => checkLock(home))),
    ...(await guard('port', () => checkPort(config))),
    ...(await guard('database', () => checkDatabase(home))),
    ...(await guard('programs', () => checkPrograms(config))),
    ...(await guard('phone.pictures', () => checkPictures())),
    ...(await guard('hosts.redis', () => checkRedis(config))),
    ...(await guard('skills.containment', () => checkContainment(config.settings.skills.user_ids))),
    ...(await guard('scenes', () => checkScenes(config))),
    ...(await guard('scenes.browser', () => checkSceneBrowser())),
    ...(await guard('host.agent-skills.staleness', () => checkAgentSkills(home))),
  ]
}

/** A check that cannot be made has failed: what stops it would also stop the daemon. */
async function guard(id: string, check: () => Check | Check[] | Promise<Check | Check[]>): Promise<Check[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    return [{ id, status: 'fail', summary: error instanceof Error ? error.message : String(error) }]
  }
}

function formatChecks(checks: readonly Check[]): string {
  const lines = checks.flatMap(({ id, status, summary, fix }) => [
    `${styleState(MARKS[status])}  ${id.padEnd(28)} ${summary}`,
    ...(fix === undefined ? [] : [styleText(`      ${' '.repeat(28)} -> ${fix}`, 'dim')]),
  ])
  const failed = checks.filter(({ status }) => status === 'fail').length
  const conclusion = failed === 0 ? 'No check failed.' : `${failed} of ${checks.length} checks failed.`
  return `${lines.join('\n')}\n\n${conclusion}\n`
}
