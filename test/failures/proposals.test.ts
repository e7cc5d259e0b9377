import { expect, test } from 'vitest'
import { installScenarios, proposalScenarios } from './scenarios-proposals.ts'
import { testScenarios } from './test-scenarios.ts'
import { startDaemon } from '../kit/daemon.ts'
import { draftProposal } from '../validation/drafts.ts'

testScenarios(proposalScenarios)

test.each(Object.entries(installScenarios))('%s prevents the installation of a draft', async (code, install) => {
  const daemon = await startDaemon()
  await expect(install(daemon, await draftProposal(daemon))).rejects.toMatchObject({ code })
})
