import type { Command } from 'commander'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { compileSkillArtifact } from '@apprentice/contracts/skills/registry.ts'
import { connect, type ConnectionOptions, withConnection } from '../terminal/connection.ts'
import { reportUsageFailures, UsageError, withUsageExitCode } from '../terminal/usage-error.ts'

interface CompileOptions extends ConnectionOptions {
  readonly artifact: string
  readonly vars: string
}

export function addCompileSkill(skills: Command): void {
  withConnection(
    withUsageExitCode(skills.command('compile-artifact <skill>'))
      .alias('compile')
      .description('compile an artifact of a skill and print the execution')
      .requiredOption('--artifact <name>', 'name of the artifact, with or without .recipe.json')
      .option('--vars <json>', 'values of its variables, as a JSON object', '{}'),
  ).action((skill: string, options: CompileOptions) => reportUsageFailures(() => compile(skill, options)))
}

async function compile(skillId: string, options: CompileOptions): Promise<void> {
  const body = { artifact: options.artifact, vars: parseVars(options.vars) }
  const { execution } = await connect(options)(compileSkillArtifact, { params: { skillId }, body })
  process.stdout.write(`${JSON.stringify({ execution }, null, 2)}\n`)
}

function parseVars(text: string): Record<string, unknown> {
  try {
    const vars: unknown = JSON.parse(text)
    if (isRecord(vars)) return { ...vars }
  } catch {
    // Invalid JSON gets the same error as JSON that is no object.
  }
  throw new UsageError('Invalid --vars JSON (COMPILE_VARS_PARSE_FAILED)')
}
