/** The layout of graphs, for the page and for `tektite graph`. */
export { edgePath, type Layout, layoutGraph, type LayoutNode, type LayoutSizes, type Place } from './layered-layout.ts';
