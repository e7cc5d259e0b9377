import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { bundleTests } from './test-bundle.ts'

/** Suites that take longest, the longest first. A long suite that starts last leaves the other workers idle. */
const LONGEST = [
  'install/kill-change',
  'install/kill-install',
  'crash/sigkill',
  'commands/run',
  'http/fuzz',
  'commands/serve',
  'pages/',
  'commands/',
  'interpret/flagship',
  'practice/',
  'setup/packed',
  'projections/kill',
  'apps.test',
  'skills/command',
  'crash/',
  'teach/',
  'runs/',
  'validation/rehearsal',
  'mining/',
]

export class FileOrder extends BaseSequencer {
  /** Called before the first worker starts. A watching run keeps the files as they are, to see which have changed. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    if (!this.ctx.config.watch) await bundleTests([...new Set(files.map(({ moduleId }) => moduleId))])
    return files.toSorted((left, right) => rankFile(left.moduleId) - rankFile(right.moduleId))
  }
}

function rankFile(path: string): number {
  const rank = LONGEST.findIndex((part) => path.includes(`/test/${part}`))
  return rank === -1 ? LONGEST.length : rank
}
