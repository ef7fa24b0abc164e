export { findNativeProgram, howToGetPrograms, type NativeProgram } from './find-native-program.ts';
