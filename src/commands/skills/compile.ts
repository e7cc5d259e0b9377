import type { Command } from 'commander'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { compileSkillArtifact } from '@apprentice/contracts/skills/registry.ts'
import { connect, type ConnectionOptions, withConnection } from '../terminal/connection.ts'
import { reportUsage, UsageProblem, withUsageCode } from '../terminal/usage-problem.ts'

interface CompileOptions extends ConnectionOptions {
  readonly artifact: string
  readonly vars: string
}

export function addCompileSkill(skills: Command): void {
  withConnection(
    withUsageCode(skills.command('compile-artifact <skill>'))
      .alias('compile')
      .description('print the execution an artifact of a skill stands for')
      .requiredOption('--artifact <name>', 'its name, with or without .recipe.json')
      .option('--vars <json>', 'values for its variables', '{}'),
  ).action((skill: string, options: CompileOptions) => reportUsage(() => compile(skill, options)))
}

async function compile(skillId: string, options: CompileOptions): Promise<void> {
  const body = { artifact: options.artifact, vars: readVars(options.vars) }
  const { execution } = await connect(options)(compileSkillArtifact, { params: { skillId }, body })
  process.stdout.write(`${JSON.stringify({ execution }, null, 2)}\n`)
}

function readVars(text: string): Record<string, unknown> {
  try {
    const vars: unknown = JSON.parse(text)
    if (isRecord(vars)) return { ...vars }
  } catch {
    // What is no JSON is refused as what is no object.
  }
  throw new UsageProblem('Invalid --vars JSON (COMPILE_VARS_PARSE_FAILED)')
}
