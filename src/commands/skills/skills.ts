import type { Command } from 'commander'
import { addSkillTransferCommands } from './skill-transfers.ts'
import { addSkillsRunCommand } from './skills-run.ts'
import { addCompileSkill } from './artifact-compile.ts'
import { addFindSkills } from './find.ts'
import { addIndexSkills } from './indexes.ts'
import { addNewSkill } from './new.ts'
import { addValidateSkills } from './validate.ts'

const SUBCOMMANDS: readonly ((skills: Command) => void)[] = [
  addFindSkills,
  addNewSkill,
  addValidateSkills,
  addCompileSkill,
  addIndexSkills,
  addSkillsRunCommand,
  addSkillTransferCommands,
]

export function addSkillsCommand(program: Command): void {
  const skills = program
    .command('skills')
    .summary('find, run, create and import skills')
    .description('Finds, creates, validates, compiles, indexes, runs, imports and exports skills.')
  for (const add of SUBCOMMANDS) add(skills)
}
