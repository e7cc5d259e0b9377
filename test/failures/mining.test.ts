import { miningScenarios } from './scenarios-mining.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(miningScenarios)
