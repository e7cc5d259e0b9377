import type { SkillPlan } from './plan-run.ts'

export interface RunSetting {
  readonly run_id: string
  readonly plan: SkillPlan
  readonly args: readonly string[]
  readonly serial?: string | undefined
  readonly operator_package: string
  readonly timeout_ms: number
  /** What agents are called by and where they are; for agent skills. */
  readonly agent?: { readonly cli: string; readonly path: string } | undefined
}

/** Places the run was given on disk. */
export interface RunPlaces {
  /** The program behind the peer's binary variable. */
  readonly shim: string
  readonly bin: string
  readonly work: string
  readonly logs: string
  readonly prompt: string
}

/** The variable by which everything a run started is known, wherever it has gone. */
export const runMark = 'APPRENTICE_SKILL_RUN'

/** The peer's contract of environment variables, so that scripts written for it work as they are. */
export function runEnvironment(
  setting: RunSetting,
  places: RunPlaces,
  base: Readonly<Record<string, string>>,
): Record<string, string> {
  const { run_id, serial, operator_package } = setting
  return {
    ...base,
    PATH: `${places.bin}:${base['PATH'] ?? ''}`,
    TMPDIR: places.work,
    [runMark]: run_id,
    CLAWPERATOR_BIN: places.shim,
    CLAWPERATOR_OPERATOR_PACKAGE: operator_package,
    ...(serial === undefined ? {} : { CLAWPERATOR_DEVICE_ID: serial }),
    ...agentVariables(setting, places),
  }
}

function agentVariables(
  { plan, args, agent, timeout_ms }: RunSetting,
  places: RunPlaces,
): Record<string, string> {
  if (agent === undefined) return {}
  const { skill_id, program, registry_path } = plan
  return {
    CLAWPERATOR_SKILL_ID: skill_id,
    CLAWPERATOR_SKILL_PROGRAM: program,
    CLAWPERATOR_SKILL_INPUTS: JSON.stringify(args),
    CLAWPERATOR_SKILL_AGENT_CLI: agent.cli,
    CLAWPERATOR_SKILL_AGENT_CLI_PATH: agent.path,
    CLAWPERATOR_SKILL_AGENT_TIMEOUT_MS: String(timeout_ms),
    CLAWPERATOR_SKILL_RETAIN_LOGS: '1',
    CLAWPERATOR_SKILL_LOG_DIR: places.logs,
    APPRENTICE_SKILL_PROMPT: places.prompt,
    ...(registry_path === undefined ? {} : { CLAWPERATOR_SKILLS_REGISTRY: registry_path }),
  }
}

/** Script skills get the device first; agent skills read it from the environment. */
export function scriptArguments({ plan, args, serial }: RunSetting): string[] {
  return plan.kind === 'script' && serial !== undefined ? [serial, ...args] : [...args]
}

/** What an agent is told of this one run. */
export function runPrompt(setting: RunSetting, places: RunPlaces, program: string): string {
  const { run_id, plan, args, serial, operator_package, timeout_ms } = setting
  const device = serial === undefined ? 'none was named' : `\`${serial}\``
  return [
    `# Run ${run_id} of ${plan.skill_id}`,
    '',
    'The program below says what to do. Act on the phone only through the command given here, one call at a time, and',
    'go on only from what the last call showed. Change no file of the skill.',
    '',
    `- inputs: \`${JSON.stringify(args)}\``,
    `- device: ${device}`,
    `- command: \`${places.shim}\``,
    `- on every call: ${serial === undefined ? '' : `\`--device ${serial}\` `}\`--operator-package ${operator_package} --json\``,
    `- time: ${timeout_ms} ms in all`,
    '',
    'End with exactly two lines: the marker `[Clawperator-Skill-Result]`, then one line of JSON with',
    '`contractVersion` "1.0.0", `skillId`, `status`, `checkpoints`, `inputs`, `terminalVerification` and `result`. Report',
    'what was seen; what was not seen is not verified.',
    '',
    '## Program',
    '',
    program,
    '',
  ].join('\n')
}
