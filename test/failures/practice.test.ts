import { practiceScenarios } from './scenarios-practice.ts'
import { testScenarios } from './test-scenarios.ts'

testScenarios(practiceScenarios)
