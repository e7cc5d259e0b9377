import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listHelperFolders } from '../../src/skill-runtime/helper-folders.ts'
import { createSkillRoot, SKILL_ID, writeSkill } from './skill-daemon.ts'

test('the helpers of a skill are the folders beside it that are no skills and not hidden', async () => {
  const root = createSkillRoot()
  for (const id of [SKILL_ID, 'com.test.other']) writeSkill(root, id, { scripts: { 'run.js': '' } })
  for (const folder of ['utils', 'shared', '.git', 'document']) mkdirSync(join(root, folder))
  writeFileSync(join(root, 'document', 'SKILL.md'), '')
  writeFileSync(join(root, 'note.txt'), '')
  expect(await listHelperFolders(join(root, SKILL_ID))).toEqual([join(root, 'shared'), join(root, 'utils')])
})
